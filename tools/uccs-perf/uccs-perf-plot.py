#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what uccs-perf measured.

The columns of a CSV file say what it is: a sweep over sizes, `parity` (threads against processes,
one bar per number of threads), `mask` (two panels: messages to threads that compute, and
everything else, over the mask) or `fairness` (callbacks per thread, and their spread over the runs).
Several files of sweeps share one picture, one line each.
"""
import argparse
import csv
import os
import pathlib
import statistics
import sys


def import_pyplot():
    """matplotlib, of this Python or of the system's, where the package of the distribution is."""
    try:
        import matplotlib
    except ImportError:
        system = "/usr/bin/python3"
        if os.path.realpath(sys.executable) != os.path.realpath(system) and os.access(system, os.X_OK) \
                and "UCCS_PERF_PLOT_PYTHON" not in os.environ:
            os.environ["UCCS_PERF_PLOT_PYTHON"] = system
            os.execv(system, [system, *sys.argv])
        sys.exit("uccs-perf plot: matplotlib is missing. Debian: apt-get install python3-matplotlib; "
                 "elsewhere: pip install matplotlib")
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "uccs", "svg.fonttype": "none", "font.size": 9,
                                "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
    import matplotlib.pyplot as pyplot
    return pyplot


def read(path):
    """The rows as dictionaries, and the machine's line."""
    with open(path, newline="") as file:
        lines = file.read().splitlines()
    machine = next((line[2:] for line in lines if line.startswith("# UCCS")), "")
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    if not rows:
        sys.exit(f"uccs-perf plot: {path}: holds no results")
    return rows, machine


def kind_of(path, rows):
    columns = set(rows[0])
    if {"ratio", "verdict", "compared"} <= columns:
        return "parity"
    if {"thread", "callbacks"} <= columns:
        return "fairness"
    if {"what", "median", "mode"} <= columns:
        return "sweep"
    if {"what", "median"} <= columns:
        return "mask"
    sys.exit(f"uccs-perf plot: {path}: is no CSV file of uccs-perf (columns: {', '.join(columns)})")


def distinct(values):
    return list(dict.fromkeys(values))


def figure_of(row, is_best):
    """The median, or the best repetition: of times the least, of rates the most."""
    return float(row["median"] if not is_best else row["min"] if row["unit"] == "ns" else row["max"])


def draw_sweep(pyplot, tables, is_best):
    figure, axes = pyplot.subplots(figsize=(6, 4))
    units = set()
    for rows in tables:
        for key in distinct((r["what"], r["mode"], r["procs"], r["threads"]) for r in rows):
            line = [r for r in rows if (r["what"], r["mode"], r["procs"], r["threads"]) == key]
            sizes = [int(r["bytes"] or 0) for r in line]
            figures = [figure_of(r, is_best) for r in line]
            axes.plot(sizes, figures, marker="o", markersize=3,
                      label=f"{key[0]} {key[1]}, {key[2]} processes x {key[3]} threads")
            units.update(r["unit"] for r in line)
    axes.set_xscale("log", base=2)
    if units != {"%"}:
        axes.set_yscale("log")
    axes.set(xlabel="bytes", ylabel=", ".join(sorted(units)))
    axes.legend()
    return figure


def draw_parity(pyplot, tables, _):
    rows = [r for table in tables for r in table if r["compared"] == "threads/processes"]
    operations = distinct((r["what"], r["bytes"]) for r in rows)
    threads = sorted({int(r["threads"]) for r in rows})
    figure, axes = pyplot.subplots(figsize=(8, 4))
    width = 0.8 / len(threads)
    for i, count in enumerate(threads):
        for j, operation in enumerate(operations):
            found = [r for r in rows if (r["what"], r["bytes"]) == operation and int(r["threads"]) == count]
            if not found:
                continue
            ratio, low, high = (float(found[0][key]) for key in ("ratio", "low", "high"))
            axes.bar(j + (i - (len(threads) - 1) / 2) * width, ratio, width * 0.9, color=f"C{i}",
                     yerr=[[max(0, ratio - low)], [max(0, high - ratio)]], capsize=2,
                     label=f"t = {count}" if j == 0 else None)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.axhline(0.95, color="black", linewidth=0.8, linestyle=":")
    axes.set_xticks(range(len(operations)), [f"{what}\n{size} B".replace("shmem ", "shmem\n") for what, size in operations])
    axes.set(ylabel="rate of t threads / rate of t processes",
             title="Threads against processes (1 is parity; bars: 95 % of the median)")
    axes.set_ylim(0, 1.3)
    axes.legend(loc="lower right", ncols=len(threads))
    return figure


def draw_mask(pyplot, tables, is_best):
    rows = [r for table in tables for r in table]
    setting = next(iter(rows[0]))
    figure, panels = pyplot.subplots(1, 2, figsize=(8, 3.5))
    masks = distinct(r[setting] for r in rows)
    for what in distinct(r["what"] for r in rows):
        line = [r for r in rows if r["what"] == what]
        panel = panels[0] if "computes" in what else panels[1]
        panel.plot([masks.index(r[setting]) for r in line], [figure_of(r, is_best) for r in line], marker="o",
                   markersize=3, label=what)
    for panel, title in zip(panels, ("messages to threads that compute", "threads that communicate")):
        panel.set_xticks(range(len(masks)), masks, rotation=45)
        panel.set(xlabel=setting, ylabel="ns", title=title, ylim=(0, None))
        panel.legend()
    return figure


def draw_fairness(pyplot, tables, _):
    rows = [r for table in tables for r in table]
    most = max(int(r["threads"]) for r in rows)
    rows = [r for r in rows if int(r["threads"]) == most]
    by_thread = [[int(r["callbacks"]) for r in rows if int(r["thread"]) == k] for k in range(most)]
    messages = int(rows[0]["messages"])
    figure, panels = pyplot.subplots(1, 2, figsize=(8, 3.5))
    order = sorted(range(len(by_thread[0])), key=lambda run: by_thread[0][run])
    for k in reversed(range(most)):
        panels[0].scatter(range(len(order)), [by_thread[k][run] for run in order], s=1.5 if k else 5,
                          color=f"C{k}", marker="x" if k == 0 else ".", linewidths=0.5, rasterized=True)
    panels[0].set(xlabel="run (sorted by the callbacks of thread 0, x)", ylabel="callbacks", ylim=(0, None))
    panels[1].bar(range(most), [statistics.mean(c) for c in by_thread],
                  yerr=[statistics.pstdev(c) for c in by_thread], capsize=3, color=[f"C{k}" for k in range(most)])
    panels[1].axhline(messages / most, color="black", linewidth=0.8, linestyle=":")
    panels[1].set(xlabel="thread", ylabel="mean callbacks, standard deviation")
    figure.suptitle(f"{messages} messages to {most} threads, {len(order)} runs; {messages / most:.0f} would be even")
    return figure


DRAW = {"sweep": draw_sweep, "parity": draw_parity, "mask": draw_mask, "fairness": draw_fairness}


def main():
    parser = argparse.ArgumentParser(prog="uccs-perf plot", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="CSV file that uccs-perf --csv wrote")
    parser.add_argument("-o", "--output", metavar="PICTURE", default="uccs-perf.svg",
                        help="picture to write, by its ending svg, png or pdf (default: %(default)s)")
    parser.add_argument("--title", help="text above the picture (default: the machine)")
    parser.add_argument("--best", action="store_true",
                        help="the best repetition instead of the median: for machines that others use too")
    options = parser.parse_args()
    if pathlib.Path(options.output).suffix not in (".svg", ".png", ".pdf"):
        parser.error(f"-o {options.output}: the endings are .svg, .png and .pdf")
    try:
        read_all = [read(path) for path in options.files]
    except OSError as error:
        sys.exit(f"uccs-perf plot: {error.filename}: {error.strerror}")
    kinds = {kind_of(path, rows) for path, (rows, _) in zip(options.files, read_all)}
    if len(kinds) > 1:
        sys.exit(f"uccs-perf plot: one picture shows one kind of result, these are {', '.join(sorted(kinds))}")
    pyplot = import_pyplot()
    figure = DRAW[kinds.pop()](pyplot, [rows for rows, _ in read_all], options.best)
    figure.text(0.01, 0.005, options.title or read_all[0][1], fontsize=6, color="gray")
    figure.tight_layout(rect=(0, 0.02, 1, 1))
    try:
        figure.savefig(options.output, dpi=130, metadata={"Date": None} if options.output.endswith("svg") else None)
    except OSError as error:
        sys.exit(f"uccs-perf plot: {options.output}: {error.strerror}")
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()

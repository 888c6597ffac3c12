#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads against processes: UCCS beside the installed MPIs, in rounds that alternate.

usage: compare.py BIN_DIR [--threads 1,2,4] [--rounds 5] [--csv FILE]
Rates are operations of 8 bytes per second of CPU time of those who take part, so that other load of
the machine counts little; `threads/processes` is what the papers plot. MPI libraries spin, so the two
ends of their pairs are on different CPUs; ours share one where there are too few.
"""
import argparse
import csv
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

OPERATIONS = ("put", "send")
BURST_MS = 100
LIMIT_S = 40  # MPICH with more processes than cores can take minutes

MPI = {
    "Open MPI": ("openmpi", ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]),
    "MPICH": ("mpich", []),
}
# Debian's Open MPI 4.1.4 crashes in finalize with its default one-sided component.
ENVIRONMENT = dict(os.environ, OMPI_MCA_osc="^rdma", OMPI_MCA_btl="self,vader")


def measure_uccs(bin_dir, threads, results):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "parity.csv"
        subprocess.run([bin_dir / "uccs-perf", "parity", "--threads", ",".join(map(str, threads)), "--seconds",
                        str(3 * len(threads)), "--csv", path], stdout=subprocess.DEVNULL, timeout=120)
        lines = path.read_text().splitlines()
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        if row["what"] in OPERATIONS and row["bytes"] == "8" and row["compared"] == "threads/processes":
            key = ("UCCS", row["what"], int(row["threads"]))
            results.setdefault(key, []).append((float(row["Mop/s"]), float(row["Mop/s of other"])))


def run_mpi(bin_dir, peer, operation, processes, threads):
    suffix, options = MPI[peer]
    command = [f"mpirun.{suffix}", *options, "-n", str(processes), bin_dir / f"mpi_threads_{suffix}", operation,
               str(threads), str(BURST_MS)]
    try:
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return None
    return float(done.stdout.split()[0]) * 1e-6 if done.returncode == 0 and done.stdout else None


def measure_mpi(bin_dir, peer, threads, results, given_up):
    for operation in OPERATIONS:
        for count in threads:
            key = (peer, operation, count)
            if key in given_up:
                continue
            of_processes = run_mpi(bin_dir, peer, operation, 2 * count, 1)
            of_threads = run_mpi(bin_dir, peer, operation, 2, count) if of_processes else None
            if of_threads is None:
                given_up.add(key)
                continue
            results.setdefault(key, []).append((of_threads, of_processes))


def write(results, given_up, path):
    columns = ("library", "operation", "t", "Mop/s of threads", "Mop/s of processes", "threads/processes",
               "UCCS threads/its threads")
    rows = []
    for (library, operation, count), pairs in sorted(results.items(), key=lambda item: (item[0][1], item[0][2])):
        of_threads, of_processes = (statistics.median(side) for side in zip(*pairs))
        ratio = statistics.median(a / b for a, b in pairs)
        ours = results.get(("UCCS", operation, count))
        # Pairs of messages are placed as suits each library, so rates of different ones do not compare.
        lead = f"{statistics.median(side[0] for side in ours) / of_threads:.3g}" if ours and operation == "put" else ""
        rows.append((library, operation, count, f"{of_threads:.4g}", f"{of_processes:.4g}", f"{ratio:.3g}", lead))
    widths = [max(len(str(row[i])) for row in [columns, *rows]) for i in range(len(columns))]
    for row in [columns, *rows]:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
    for library, operation, count in sorted(given_up):
        print(f"{library} {operation} t = {count}: failed or took more than {LIMIT_S} s, left out")
    if path:
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([columns, *rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("--threads", type=lambda text: [int(t) for t in text.split(",")], default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--csv")
    options = parser.parse_args()
    peers = [peer for peer, (suffix, _) in MPI.items()
             if shutil.which(f"mpirun.{suffix}") and (options.bin_dir / f"mpi_threads_{suffix}").exists()]
    for peer in MPI.keys() - set(peers):
        print(f"{peer} is not installed: no peer to compare with")
    results, given_up = {}, set()
    for _ in range(options.rounds):
        measure_uccs(options.bin_dir, options.threads, results)
        for peer in peers:
            measure_mpi(options.bin_dir, peer, options.threads, results, given_up)
    write(results, given_up, options.csv)
    return 0


if __name__ == "__main__":
    sys.exit(main())

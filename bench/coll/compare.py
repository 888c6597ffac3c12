#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Collectives of two processes beside bare flags and beside Open MPI's OpenSHMEM, if it is there.

usage: compare.py BIN_DIR [RUNS]
The two libraries run in turn, RUNS times each; what is compared are times in units of a barrier of
bare flags between the same processes at the same moment, so that the distance between the cores,
which changes from run to run on virtual machines, drops out. Medians over the runs.
"""
import collections
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LINE = re.compile(r"^(\w+)\s+(used)?\s+(\d+) bytes\s+(\d+) ns\s+bare barrier\s+(\d+) ns\s+ratio\s+([\d.]+)")


def run(command: list) -> dict:
    """Figures by (name, used, bytes); the peer is known to crash after its last line."""
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            timeout=900).stdout
    found = {}
    for line in output.splitlines():
        if match := LINE.match(line):
            found[match[1], match[2] or "", int(match[3])] = (int(match[4]), float(match[6]))
    return found


def main() -> int:
    bin_dir = pathlib.Path(sys.argv[1]).resolve()
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as folder:
        programs = {"uccs": [bin_dir / "oshrun", "-n", "2", "--bind", "core", "--timeout", "600",
                             bin_dir / "coll_bench"]}
        compiler, starter = (shutil.which(name, path="/usr/bin") for name in ("oshcc", "oshrun"))
        peer = pathlib.Path(folder) / "coll_bench_peer"
        if compiler and starter and subprocess.run(
                [compiler, "-O2", HERE / "coll_bench.c", "-o", peer],
                stderr=subprocess.DEVNULL).returncode == 0:
            programs["Open MPI"] = [starter, "--allow-run-as-root", "--oversubscribe", "-n", "2",
                                    "--bind-to", "core", peer]
        else:
            print("Open MPI's OpenSHMEM is not installed: no peer to compare with")
        figures = {name: collections.defaultdict(list) for name in programs}
        for _ in range(runs):
            for name, command in programs.items():
                for key, value in run(command).items():
                    figures[name][key].append(value)

    print(f"{'':27} {'uccs':>21}   {'Open MPI':>21}   uccs / Open MPI")
    for key in figures["uccs"]:
        shown = f"{key[0]:10} {key[1]:5} {key[2]:8} B "
        ratios = []
        for name in programs:
            values = figures[name].get(key)
            if not values:
                continue
            ratios.append(statistics.median(ratio for _, ratio in values))
            time = statistics.median(time for time, _ in values)
            shown += f" {time:9.0f} ns ={ratios[-1]:8.2f} x  "
        print(shown + (f"{ratios[0] / ratios[1]:6.2f}" if len(ratios) == 2 else ""))
    print("(each followed by a barrier; x: barriers of bare flags at the same moment)")
    return 0


if __name__ == "__main__":
    sys.exit(main())

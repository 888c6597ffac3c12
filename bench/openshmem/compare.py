#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Operations of OpenSHMEM beside Open MPI's OpenSHMEM, if it is there (openmpi-bin, libopenmpi-dev).

usage: compare.py BIN_DIR [RUNS [SECONDS_PER_LINE [PES]]]
The same source, compiled by each library's oshcc, runs in turn, RUNS times each; printed are the
medians over the runs and their ratio: below 1, UCCS takes less time.
"""
import collections
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Debian's Open MPI 4.1.4 crashes in finalize with its default one-sided component.
PEER_SETTINGS = {"OMPI_MCA_osc": "^rdma", "SHMEM_SYMMETRIC_HEAP_SIZE": "256M"}


def run(command: list, settings: dict) -> dict:
    """Nanoseconds by (name, bytes). A crash after the last line does not count: all lines are used."""
    output = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            text=True, timeout=900, env=dict(os.environ, **settings)).stdout
    rows = (line.split() for line in output.splitlines())
    return {(row[0], int(row[1])): float(row[2]) for row in rows if len(row) == 3}


def main() -> int:
    bin_dir = pathlib.Path(sys.argv[1]).resolve()
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    seconds, pes = (sys.argv[3:4] or ["0.05"])[0], (sys.argv[4:5] or ["2"])[0]
    compiler, starter = (shutil.which(name, path="/usr/bin") for name in ("oshcc", "oshrun"))
    with tempfile.TemporaryDirectory() as folder:
        bind = ["--bind", "core"] if int(pes) <= (os.cpu_count() or 1) else []
        libraries = {"UCCS": ([bin_dir / "oshrun", "-n", pes, *bind, "--timeout", "600",
                               bin_dir / "ops_bench", seconds], {})}
        peer = pathlib.Path(folder) / "ops_bench"
        if compiler and starter and subprocess.run([compiler, "-O2", HERE / "ops_bench.c", "-o", peer],
                                                   stderr=subprocess.DEVNULL).returncode == 0:
            bind = ["--bind-to", "core"] if bind else ["--bind-to", "none"]
            libraries["Open MPI"] = ([starter, "--allow-run-as-root", "--oversubscribe", "-n", pes, *bind,
                                      peer, seconds], PEER_SETTINGS)
        else:
            print("Open MPI's OpenSHMEM is not installed: no peer to compare with")
        times = {name: collections.defaultdict(list) for name in libraries}
        for _ in range(runs):
            for name, (command, settings) in libraries.items():
                for key, value in run(command, settings).items():
                    times[name][key].append(value)
    print(f"{pes} PEs, medians of {runs} runs in turn")
    print(f"{'':24} {'UCCS':>12} {'Open MPI':>13}   UCCS / Open MPI")
    ratios = []
    for key, values in times["UCCS"].items():
        ours, theirs = statistics.median(values), times.get("Open MPI", {}).get(key)
        line = f"{key[0]:14} {key[1]:7} B {ours:9.1f} ns"
        if theirs:
            ratios.append(ours / statistics.median(theirs))
            line += f" {statistics.median(theirs):10.1f} ns   {ratios[-1]:6.2f}"
        print(line)
    if ratios:
        print(f"{'geometric mean':52} {statistics.geometric_mean(ratios):6.2f}")
    return 0 if times["UCCS"] else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the comparisons of this folder: `./uccs bench [NAME] [ARGUMENTS]`.

Every figure is measured beside its peer or limit in one run, interleaved; medians and ratios are
printed, and nothing is asserted: seconds on a shared machine prove little, ratios a little more.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def run_program(bin_dir, arguments, pes, *options):
    subprocess.run([bin_dir / "oshrun", "-n", str(pes), "--timeout", "600", *options, *arguments])


def bench_shm(bin_dir, arguments):
    """one-sided operations, ping-pong, barrier and bandwidth beside the bare machine"""
    run_program(bin_dir, [bin_dir / "shm_bench", *arguments], 2, "--bind", "core")


def bench_oversubscribed(bin_dir, arguments):
    """barriers and ping-pongs with more PEs than CPUs beside ideal time slicing"""
    for pes in (2, 4, 8):
        run_program(bin_dir, [bin_dir / "oversubscribed_bench", *arguments], pes)


def bench_coll(bin_dir, arguments):
    """collectives beside bare flags and beside Open MPI's OpenSHMEM"""
    subprocess.run([sys.executable, HERE / "coll" / "compare.py", bin_dir, *arguments])


def bench_openshmem(bin_dir, arguments):
    """puts, gets, atomics and collectives beside Open MPI's OpenSHMEM"""
    subprocess.run([sys.executable, HERE / "openshmem" / "compare.py", bin_dir, *arguments])


def bench_am(bin_dir, arguments):
    """active messages beside the cache-line round trip"""
    run_program(bin_dir, [bin_dir / "am_bench", *arguments], 2, "--bind", "core")


def bench_threads(bin_dir, arguments):
    """threads against processes, beside Open MPI and MPICH"""
    subprocess.run([sys.executable, HERE / "threads" / "compare.py", bin_dir, *arguments])


def bench_budgets(bin_dir, arguments):
    """instructions of the hot paths beside their budgets"""
    subprocess.run([HERE / "budgets" / "check.py", bin_dir])


def bench_ft(bin_dir, arguments):
    """NAS FT beside the same program on MPI"""
    subprocess.run([sys.executable, HERE / "ft.py", "--build", bin_dir.parent, *arguments])


def bench_net(bin_dir, arguments):
    """puts, gets, atomics and barriers over TCP beside Open MPI, MPICH and bare sockets"""
    subprocess.run([sys.executable, HERE / "net" / "compare.py", bin_dir, *arguments])


def bench_start(bin_dir, arguments):
    """launch + init + finalize of an empty program beside Open MPI's OpenSHMEM"""
    starters = {"uccs -n 2": [bin_dir / "oshrun", "-n", "2", bin_dir / "start_empty"],
                "uccs -n 64": [bin_dir / "oshrun", "-n", "64", bin_dir / "start_empty"]}
    peer = shutil.which("oshrun", path="/usr/bin")
    if peer and shutil.which("oshcc", path="/usr/bin"):
        program = bin_dir.parent / "start_empty_openmpi"
        if subprocess.run(["/usr/bin/oshcc", HERE / "start" / "empty.c", "-o", program]).returncode == 0:
            starters["Open MPI -n 2"] = [peer, "--allow-run-as-root", "--oversubscribe", "-n", "2", program]
    else:
        print("Open MPI's OpenSHMEM is not installed: no peer to compare with")
    # Debian's Open MPI 4.1.4 crashes in finalize with its default one-sided component.
    environment = dict(os.environ, OMPI_MCA_osc="^rdma", SHMEM_SYMMETRIC_HEAP_SIZE="64M")
    for name, command in list(starters.items()):
        if subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            print(f"{name}: fails, left out")
            del starters[name]
    times = {name: [] for name in starters}
    for _ in range(9):
        for name, command in starters.items():
            begin = time.monotonic()
            subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            times[name].append(time.monotonic() - begin)
    for name, seconds in times.items():
        print(f"{name:15} {statistics.median(seconds) * 1e3:8.1f} ms  (of {len(seconds)}: "
              f"{min(seconds) * 1e3:.1f} to {max(seconds) * 1e3:.1f})")


BENCHES = {name[len("bench_"):]: function for name, function in list(globals().items())
           if name.startswith("bench_")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("name", nargs="?", default="all", help="all, list, or: " + ", ".join(BENCHES))
    options, arguments = parser.parse_known_args()
    if options.name == "list":
        for name, function in BENCHES.items():
            print(f"{name:15} {function.__doc__}")
        return 0
    if options.name != "all" and options.name not in BENCHES:
        print(f"bench: there is no '{options.name}'; there are: all, {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    for name in BENCHES if options.name == "all" else [options.name]:
        print(f"== {name}: {BENCHES[name].__doc__} (on {os.cpu_count()} CPUs)", flush=True)
        BENCHES[name](options.build / "bin", arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())

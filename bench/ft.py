#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares apps/ft with bench/ft-mpi under the MPIs that are installed, side by side.

The programs run in turn, round after round, so that a slow minute of the machine hits all of them.
The table shows medians and the ratio ours / theirs: below 1, UCCS is faster. The MPI programs run
with several limits to the planes in flight, and the best of these counts: theirs at its best.

With --net no process shares memory with another: UCCS is told that each is a node of its own, the
MPIs that they have nothing but tcp on the loopback. With --link as well, they run on two hosts made
of network namespaces, joined by a link of that rate, such as 1gbit: there bytes take time but no CPU,
as on a network of their own (root only, tests/cluster/hosts.py).

Exit status: 0, or 1 if a run failed, was wrong or took too long, or there was nothing to run.
"""

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "cluster"))
import hosts  # noqa: E402

EXCHANGES = ("packed", "slabs", "pencils")
CLASSES = ("S", "W", "A", "B", "C")
ALL_PLANES = 1000000
MPI_WINDOWS = (2, ALL_PLANES)


class Program:
    """One program under one launcher."""

    def __init__(self, name, launcher, path, windows, environment=None, machines=None):
        self.name = name
        self.machines = machines  # to run on, or None: here
        self.environment = {**os.environ, **(environment or {})}
        self.launcher = launcher  # command line; the number of PEs and the program follow
        self.path = path
        self.windows = windows  # None: the program's own choice

    def missing(self):
        """Why it cannot run, or None."""
        if shutil.which(self.launcher[0]) is None:
            return f"{self.launcher[0]} is not there"
        if not os.access(self.path, os.X_OK):
            return f"{self.path} is not there (built where FFTW and the compiler wrapper are)"
        return None

    def run(self, pes, problem_class, window, timeout_s):
        """The list of results, or a string that says what went wrong."""
        with tempfile.TemporaryDirectory() as folder:
            results = os.path.join(folder, "results.json")
            command = [*self.launcher, "-n", str(pes)]
            if self.machines:
                command = self.machines.engine(self.launcher[0], pes, *self.launcher[1:])
            command += [self.path, "--class", problem_class, "--json", results]
            if window is not None:
                command += ["--window", str(window)]
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
                env=self.environment,
            )
            try:
                output, _ = process.communicate(timeout=timeout_s)
            except subprocess.TimeoutExpired:
                return f"not done after {timeout_s} s"
            finally:
                stop(process)
            if process.returncode != 0:
                return f"exit status {process.returncode}: {output.strip()}"
            with open(results, encoding="utf-8") as file:
                return json.load(file)["results"]


def stop(process):
    """Ends a launcher that still runs: first so that it can end its processes, then for sure."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, how)
            try:
                process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                pass


def programs(build, net, machines=None):
    binaries = os.path.join(build, "bin")
    if machines:
        ob1 = "-mca pml ob1".split()
        mpich = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0"}
        return [
            Program("UCCS", ["mpiexec.hydra"], f"{binaries}/ft", (None,), {"UCCS_NET": net}, machines),
            Program("Open MPI tcp", ["mpirun.openmpi", *ob1], f"{binaries}/ft-mpi-openmpi", MPI_WINDOWS, None, machines),
            Program("MPICH UCX", ["mpiexec.hydra"], f"{binaries}/ft-mpi-mpich", MPI_WINDOWS, mpich, machines),
        ]
    openmpi = ["mpirun.openmpi", "--oversubscribe"]
    if os.geteuid() == 0:
        openmpi.append("--allow-run-as-root")
    if net:
        tcp = "-mca pml ob1 -mca btl tcp,self -mca btl_tcp_if_include lo".split()
        ucx = "-mca pml ucx -mca pml_ucx_tls any -mca pml_ucx_devices any".split()
        ucx_tcp = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}
        ours = {"UCCS_NODE_SIZE": "1", "UCCS_NET": net}
        mpich = {**ucx_tcp, "MPIR_CVAR_NOLOCAL": "1"}
        exported = [word for name in ucx_tcp for word in ("-x", name)]
        return [
            Program("UCCS", [f"{binaries}/oshrun"], f"{binaries}/ft", (None,), ours),
            Program("Open MPI tcp", openmpi + tcp, f"{binaries}/ft-mpi-openmpi", MPI_WINDOWS),
            Program("Open MPI UCX", openmpi + ucx + exported, f"{binaries}/ft-mpi-openmpi", MPI_WINDOWS, ucx_tcp),
            Program("MPICH UCX", ["mpiexec.mpich"], f"{binaries}/ft-mpi-mpich", MPI_WINDOWS, mpich),
        ]
    return [
        Program("UCCS", [f"{binaries}/oshrun"], f"{binaries}/ft", (None,)),
        Program("Open MPI", openmpi, f"{binaries}/ft-mpi-openmpi", MPI_WINDOWS),
        Program("MPICH", ["mpiexec.mpich"], f"{binaries}/ft-mpi-mpich", MPI_WINDOWS),
    ]


def progress(text):
    """Shows what is going on, on one line of a terminal or one line each in a log."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}")
    elif text:
        sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def measure(candidates, options):
    """Runs everything. Returns {(program, pes, exchange, window): [result of each round]}, failures."""
    samples = {}
    failures = {}
    steps = [(p, pes, w) for pes in options.pes for p in candidates for w in p.windows]
    started = time.monotonic()
    for round_number in range(1, options.rounds + 1):
        for step_number, (program, pes, window) in enumerate(steps, 1):
            progress(
                f"round {round_number} of {options.rounds}, run {step_number} of {len(steps)}: "
                f"{program.name}, {pes} PEs{window_text(window)} "
                f"({time.monotonic() - started:.0f} s so far)"
            )
            if (program.name, pes, window) in failures:
                continue
            results = program.run(pes, options.problem_class, window, options.timeout)
            if isinstance(results, str):
                failures[program.name, pes, window] = results
                continue
            for result in results:
                samples.setdefault((program.name, pes, result["exchange"], window), []).append(result)
    progress("")
    return samples, failures


def window_text(window):
    if window is None:
        return ""
    return ", all planes in flight" if window == ALL_PLANES else f", {window} planes in flight"


def best(samples, program, pes, exchange):
    """Medians (seconds, communication) of the fastest window, or None."""
    medians = []
    for window in program.windows:
        results = samples.get((program.name, pes, exchange, window))
        if results:
            medians.append(
                tuple(statistics.median(r[k] for r in results) for k in ("seconds", "communication"))
            )
    return min(medians, default=None)


def print_table(samples, candidates, options):
    ours, peers = candidates[0], candidates[1:]
    print(
        f"FT class {options.problem_class}{', ' + options.net if options.net else ''}"
        f"{', ' + options.link if options.link else ''}, {os.cpu_count()} CPUs, "
        f"medians of {options.rounds} rounds: "
        "seconds (of these in communication); ratio = UCCS / theirs"
    )
    header = f"{'PEs':>3}  {'exchange':8}  {ours.name:>15}"
    print(header + "".join(f"  {peer.name:>15}  ratio" for peer in peers))
    for pes in options.pes:
        for exchange in EXCHANGES:
            own = best(samples, ours, pes, exchange)
            line = f"{pes:>3}  {exchange:8}  {cell(own)}"
            for peer in peers:
                other = best(samples, peer, pes, exchange)
                line += f"  {cell(other)}  {ratio(own, other)}"
            print(line)
        # What the overlap is for: the best of ours against what MPI programs do.
        own = min(filter(None, (best(samples, ours, pes, e) for e in EXCHANGES)), default=None)
        line = f"{pes:>3}  {'best / packed':25}"
        for peer in peers:
            line += f"  {'':15}  {ratio(own, best(samples, peer, pes, 'packed'))}"
        if peers:
            print(line)


def cell(medians):
    return f"{'-':>15}" if medians is None else f"{medians[0]:7.3f} ({medians[1]:.3f})".rjust(15)


def ratio(own, other):
    return f"{'-':>5}" if own is None or other is None else f"{own[0] / other[0]:5.2f}"


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not positive")
    return number


def read_options():
    repository = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=os.path.join(repository, "build"), help="build folder")
    parser.add_argument(
        "--class", dest="problem_class", choices=CLASSES, help="default: W, with --full A"
    )
    parser.add_argument("--full", action="store_true", help="class A unless --class says otherwise")
    parser.add_argument("--pes", type=positive, nargs="+", default=[2, 4], help="default: 2 4")
    parser.add_argument("--net", metavar="NAME", help="over a network: ucx, ofi, as UCCS_NET")
    parser.add_argument("--link", metavar="RATE", help="with --net: on two hosts with such a link, as 1gbit")
    parser.add_argument("--rounds", type=positive, default=3, help="default: 3")
    parser.add_argument(
        "--timeout", type=positive, default=600, metavar="S", help="for each run (default: 600 s)"
    )
    options = parser.parse_args()
    if options.link and not options.net:
        parser.error("--link wants --net: what goes over the link")
    if options.problem_class is None:
        options.problem_class = "A" if options.full else "W"
    return options


def main():
    options = read_options()
    if not options.link:
        return compare(options, programs(options.build, options.net))
    reason = hosts.reason_not_to()
    if reason:
        print(f"--link {options.link}: {reason}")
        return 1
    with hosts.Hosts(2) as machines:
        for host in machines.names:
            machines.rate(host, options.link, burst="256kb")
        return compare(options, programs(options.build, options.net, machines))


def compare(options, all_programs):
    candidates = []
    for program in all_programs:
        reason = program.missing()
        if reason is None:
            candidates.append(program)
        else:
            print(f"skipped {program.name}: {reason}")
    if all_programs[0] not in candidates:
        print("nothing to compare: build UCCS first, or name its build folder with --build")
        return 1
    samples, failures = measure(candidates, options)
    print_table(samples, candidates, options)
    for (name, pes, window), reason in failures.items():
        print(f"failed: {name}, {pes} PEs{window_text(window)}: {reason}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

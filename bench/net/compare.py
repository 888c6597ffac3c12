#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One-sided operations over TCP: UCCS beside Open MPI, MPICH and TCP itself, in turns.

usage: compare.py BIN_DIR [--net ucx|ofi|all] [--where loopback|hosts|all] [--rounds 25] [--seconds 0.006] [--csv FILE]

loopback: two processes of this machine, which are told to share no memory (UCCS_NODE_SIZE=1 and the
peers' switches). hosts: two network namespaces joined by veth (root only, tests/cluster/hosts.py).
All jobs are alive at a time and measure one after the other, some milliseconds each: virtual CPUs
move, and a moment later the same message takes half as long again. So ratios are those within a
round, and what is printed are medians over the rounds, the best peer, the best one by the same
library, and what the limit allows: a word there and back is a ping-pong of bare sockets whose ends
spin, and a barrier an exchange between them. Peers that are not installed are left out with a line.
"""
import argparse
import collections
import csv
import os
import pathlib
import random
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tests" / "cluster"))
import hosts as cluster  # noqa: E402

NETS = {"ucx": "UCX", "ofi": "libfabric"}  # what UCCS takes over tcp by itself comes first
LIMIT_S = 40  # of a turn, the start of a job included
LIMIT_RATIO = 1.5  # of the bare socket's time, for words
# name and bytes, what is shown, the bare socket's line and how many of it one operation takes
LINES = [(("ping_pong", 8), "put that the target waits for, one way", ("ping_pong_spin", 8), 1),
         (("put_quiet", 8), "put + quiet", ("ping_pong_spin", 8), 2),
         (("put_rate", 8), "put, 256 before a quiet", None, 0),
         (("put", 4096), "put 4 KiB, 64 before a quiet", None, 0),
         (("get", 8), "get", ("ping_pong_spin", 8), 2),
         (("get_rate", 8), "get, 256 before a quiet", None, 0),
         (("fetch_add", 8), "fetch-add", ("ping_pong_spin", 8), 2),
         (("barrier", 0), "barrier", ("exchange_spin", 8), 1),
         (("put", 1 << 20), "put 1 MiB, 8 before a quiet", ("stream", 1 << 20), 1),
         (("put_both", 1 << 20), "put 1 MiB, both ways at a time", None, 0),
         (("get", 1 << 20), "get 1 MiB, 8 before a quiet", ("stream", 1 << 20), 1)]

BARE_LINES = [("ping_pong_spin", 8), ("ping_pong_poll", 8), ("ping_pong_block", 8), ("exchange_spin", 8),
              ("stream", 1 << 20)]
SEND_RECEIVE = ("send_receive", 8)

WRAPPER = """#!/bin/sh
# Each process on a CPU of its own.
exec taskset -c $((${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}} % $(nproc --all))) "$@"
"""


class Job:
    """Two processes that wait for turns, each at a pipe of its own."""

    def __init__(self, command, folder, settings):
        self.rest = b""
        folder.mkdir()
        folder.chmod(0o755)
        self.pipes = []
        for number in range(2):
            os.mkfifo(folder / str(number))
            self.pipes.append(os.open(folder / str(number), os.O_RDWR))
        self.errors = open(folder / "errors", "w+", encoding="utf-8")
        self.process = subprocess.Popen(list(map(str, command)), env={**os.environ, **settings},
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors)

    def next_line(self):
        """What it prints next, or None: it has ended, or says nothing."""
        deadline = time.monotonic() + LIMIT_S
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            more = os.read(self.process.stdout.fileno(), 4096) if ready else b""
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode(errors="replace")

    def turn(self, key):
        """Nanoseconds of an operation, or None: the job is over."""
        for pipe in self.pipes:
            os.write(pipe, f"{key[0]} {key[1]}\n".encode())
        while (line := self.next_line()) is not None:
            row = line.split()
            if row[:2] == [key[0], str(key[1])]:
                return float(row[2])
        return None

    def end(self):
        for pipe in self.pipes:
            os.close(pipe)
        try:  # some peers crash after their last turn, or stay
            self.process.wait(timeout=LIMIT_S / 4)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait()
        self.process.stdout.close()
        self.errors.seek(0)
        lines = [line for line in self.errors.read().splitlines() if line.strip("- ")]
        self.errors.close()
        return lines[-1] if lines else "no output"


class Bare(Job):
    """TCP itself: a server, and a client that takes the turns."""

    def __init__(self, server, client, folder):
        self.server = subprocess.Popen(list(map(str, server)), stdout=subprocess.PIPE, text=True)
        port = self.server.stdout.readline().strip()
        super().__init__(client(port), folder, {})

    def end(self):
        said = super().end()
        self.server.kill()
        self.server.wait()
        self.server.stdout.close()
        return said


class Runner:
    """Starts jobs of each library."""

    def __init__(self, bin_dir, options, folder, machines):
        self.bin, self.options, self.folder, self.machines = bin_dir, options, folder, machines
        self.device = "eth0" if machines else "lo"
        self.pin = folder / "pin"
        self.pin.write_text(WRAPPER)
        self.pin.chmod(0o755)
        self.jobs = 0

    def pipes(self):
        self.jobs += 1
        return self.folder / f"{'hosts' if self.machines else 'loopback'}.{self.jobs}"

    def launch(self, engine, options, settings, program):
        """A job of two processes, one per host; settings reach all of them."""
        pipes = self.pipes()
        words = [self.pin, program, str(self.options.seconds), pipes]
        if "mpirun" in engine or "oshrun" in engine:
            options = [*options, *(word for name in settings for word in ("-x", name))]
        if self.machines:
            command = self.machines.engine(engine, 2, *options, *words)
        elif "hydra" in engine:
            command = [engine, "-n", "2", *options, *words]
        else:
            command = [engine, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2",
                       *options, *words]
        return Job(command, pipes, settings)

    def tcp(self):
        at = self.machines.address("n1") if self.machines else "127.0.0.1"
        program, cpu = self.bin / "net_tcp", str((os.cpu_count() or 1) - 1)
        on = (lambda host, *words: self.machines.command(host, *words)) if self.machines else \
            (lambda _, *words: list(words))
        pipes = self.pipes()
        return Bare(on("n1", "taskset", "-c", cpu, program, "serve", at),
                    lambda port: on("n0", "taskset", "-c", "0", program, at, port, self.options.seconds, pipes),
                    pipes)

    def uccs(self, net):
        settings = {"UCCS_NET": f"{net}:tcp"}
        if self.machines:
            return self.launch("/usr/bin/mpirun", [], settings, self.bin / "net_shmem")
        settings["UCCS_NODE_SIZE"] = "1"
        pipes = self.pipes()
        return Job([self.bin / "oshrun", "-n", "2", "--bind", "core", self.bin / "net_shmem",
                    self.options.seconds, pipes], pipes, settings)

    def ucx(self):
        return {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": self.device}

    def open_mpi(self, path):
        """By sockets of its own or libfabric (with which its one-sided calls are packed into messages), or
        by UCX."""
        if path == "ofi":
            options = ["-mca", "pml", "cm", "-mca", "mtl", "ofi", "-mca", "osc", "pt2pt",
                       "-mca", "mtl_ofi_provider_include", "tcp"]
            return self.launch("/usr/bin/mpirun.openmpi", options, {"FI_TCP_IFACE": self.device},
                               self.folder / "net_mpi_openmpi")
        if path == "btl":
            options = ["-mca", "pml", "ob1", "-mca", "osc", "pt2pt"]
            if not self.machines:
                options += ["-mca", "btl", "tcp,self", "-mca", "btl_tcp_if_include", self.device]
            return self.launch("/usr/bin/mpirun.openmpi", options, {}, self.folder / "net_mpi_openmpi")
        options = ["-mca", "pml", "ucx", "-mca", "osc", "ucx" if path == "ucx" else "^rdma",
                   "-mca", "pml_ucx_tls", "any", "-mca", "pml_ucx_devices", "any"]
        if path == "ucx":
            return self.launch("/usr/bin/mpirun.openmpi", options, self.ucx(), self.folder / "net_mpi_openmpi")
        options += ["-mca", "spml", "ucx"]
        return self.launch("/usr/bin/mpirun.openmpi", options, {**self.ucx(), "SHMEM_SYMMETRIC_HEAP_SIZE": "64M"},
                           self.folder / "net_shmem_openmpi")

    def mpich(self):
        return self.launch("/usr/bin/mpiexec.hydra", [], {**self.ucx(), "MPIR_CVAR_NOLOCAL": "1"},
                           self.folder / "net_mpi_mpich")


def build_peers(folder):
    """The names of the peers' programs that could be built."""
    built = set()
    for program, compiler, source in (("net_mpi_openmpi", "mpicc.openmpi", "net_mpi.c"),
                                      ("net_mpi_mpich", "mpicc.mpich", "net_mpi.c"),
                                      ("net_shmem_openmpi", "oshcc", "net_shmem.c")):
        found = shutil.which(compiler, path="/usr/bin")
        if found and subprocess.run([found, "-O2", HERE / source, "-o", folder / program],
                                    stderr=subprocess.DEVNULL).returncode == 0:
            built.add(program)
        else:
            print(f"{compiler} is not installed: no peer {program}")
    return built


def programs_of(runner, built):
    options = runner.options
    programs = {"TCP": runner.tcp}
    for net in NETS:
        if options.net in (net, "all"):
            programs[f"UCCS, {net}"] = lambda net=net: runner.uccs(net)
    if "net_mpi_openmpi" in built:
        programs["Open MPI, btl tcp"] = lambda: runner.open_mpi("btl")
        programs["Open MPI, UCX"] = lambda: runner.open_mpi("ucx")
        programs["Open MPI, libfabric"] = lambda: runner.open_mpi("ofi")
    if "net_shmem_openmpi" in built:
        programs["OSHMEM, UCX"] = lambda: runner.open_mpi("shmem")
    if "net_mpi_mpich" in built:
        programs["MPICH, UCX"] = runner.mpich
    if options.only:
        programs = {name: call for name, call in programs.items() if name in options.only.split(":")}
    return programs


def lines_of(name):
    """What the program of that name measures."""
    if name == "TCP":
        return BARE_LINES
    shared = [line[0] for line in LINES]
    return shared if "UCCS" in name or "OSHMEM" in name else [*shared, SEND_RECEIVE]


def measure(bin_dir, options, folder, built, machines):
    """Nanoseconds by name, line and round. What is compared is measured side by side."""
    runner = Runner(bin_dir, options, folder, machines)
    jobs = {name: start() for name, start in programs_of(runner, built).items()}
    times = {name: collections.defaultdict(dict) for name in jobs}

    def take_turn(name, key, turn):
        took = jobs[name].turn(key)
        if took is None:
            print(f"{name}: fails at {key[0]} of {key[1]} bytes: {jobs.pop(name).end()}")
        elif turn >= 0:
            times[name][key][turn] = took

    try:
        for name in list(jobs):
            take_turn(name, lines_of(name)[0], -1)  # all have started now
        groups = [{key, limit} for key, _, limit, _ in LINES]
        groups.append({SEND_RECEIVE, *BARE_LINES}.difference(*groups))
        # The first turn of a line tells how many operations a turn takes.
        turns = [(group, turn) for group in groups for turn in range(-1, options.rounds)]
        for number, (group, turn) in enumerate(turns):
            # What the one before leaves behind, in caches and timers, is nobody's alone.
            for name in random.Random(number).sample(list(jobs), len(jobs)):
                for key in [key for key in lines_of(name) if key in group]:
                    if name in jobs:
                        take_turn(name, key, number if turn >= 0 else -1)
    finally:
        for job in jobs.values():
            job.end()
    return {name: rows for name, rows in times.items() if rows}


def median(rounds):
    return statistics.median(rounds.values()) if rounds else None


def ratios(mine, other):
    """Within rounds, sorted."""
    return sorted(mine[turn] / other[turn] for turn in mine if turn in other)


def microseconds(value):
    return f"{value / 1e3:9.2f}" if value is not None else f"{'-':>9}"


def report(net, where, times):
    ours, bare = times.get(f"UCCS, {net}", {}), times.get("TCP", {})
    peers = {name: rows for name, rows in times.items() if name != "TCP" and not name.startswith("UCCS")}
    print(f"\n{net}, {where}: microseconds per operation; ratios within rounds")
    print(f"{'':40}{'UCCS':>9}{'bare TCP':>9}{'x bare':>8}" + "".join(f"{name:>21}" for name in peers) +
          f"{'UCCS/best':>11}{'quartiles':>14}{'/' + NETS[net]:>11}")
    short = []
    for key, shown, limit_key, count in LINES:
        mine = ours.get(key)
        line = f"{shown:40}{microseconds(median(mine))}"
        limit = {turn: took * count for turn, took in bare.get(limit_key, {}).items()}
        line += microseconds(median(limit))
        over = ratios(mine, limit) if mine and limit else []
        line += f"{statistics.median(over):8.2f}" if over else f"{'':8}"
        for rows in peers.values():
            line += f"{microseconds(median(rows.get(key))):>21}"
        found = [(median(rows[key]), name) for name, rows in peers.items() if key in rows]
        best = min(found, default=None)
        like = min((one for one in found if one[1].endswith(NETS[net])), default=None)
        beside = {one[1]: ratios(mine, peers[one[1]][key]) for one in (best, like) if mine and one}
        if best and mine:
            values = beside[best[1]]
            low, middle, high = (values[len(values) * part // 4] for part in (1, 2, 3))
            line += f"{middle:11.2f}{f'{low:.2f} to {high:.2f}':>14}"
            if middle > 1:
                short.append(f"{shown}: {middle:.2f} ({low:.2f} to {high:.2f}) times the best peer ({best[1]})")
        if like and mine:
            line += f"{statistics.median(beside[like[1]]):11.2f}"
        if over and key[0] in ("ping_pong", "put_quiet") and statistics.median(over) > LIMIT_RATIO:
            short.append(f"{shown}: {statistics.median(over):.2f} times bare TCP, wanted {LIMIT_RATIO}")
        print(line)
    waits = {way: median(bare.get((f"ping_pong_{way}", 8))) for way in ("spin", "poll", "block")}
    print("bare TCP, 8 bytes one way: " +
          ", ".join(f"{way} {value / 1e3:.1f}" for way, value in waits.items() if value))
    for name, rows in peers.items():
        if SEND_RECEIVE in rows:
            print(f"{name}: send and receive of 8 bytes, one way {median(rows[SEND_RECEIVE]) / 1e3:.2f}")
    print("fell short:" if short else "nothing fell short")
    for line in short:
        print("  " + line)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("--net", choices=(*NETS, "all"), default="all")
    parser.add_argument("--where", choices=("loopback", "hosts", "all"), default="all")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--seconds", type=float, default=0.006, help="per turn")
    parser.add_argument("--only", help="names separated by colons, such as 'UCCS, ucx:TCP'")
    parser.add_argument("--csv", type=pathlib.Path)
    options = parser.parse_args()
    bin_dir = options.bin_dir.resolve()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        built = build_peers(folder)
        for where in ("loopback", "hosts") if options.where == "all" else (options.where,):
            reason = cluster.reason_not_to() if where == "hosts" else None
            if reason:
                print(f"hosts: left out: {reason}")
                continue
            if where == "hosts":
                with cluster.Hosts(2) as machines:
                    times = measure(bin_dir, options, folder, built, machines)
            else:
                times = measure(bin_dir, options, folder, built, None)
            for net in NETS:
                if f"UCCS, {net}" in times:
                    report(net, where, times)
            rows += [(where, who, *key, turn, took) for who, found in times.items()
                     for key, rounds in found.items() for turn, took in rounds.items()]
    if options.csv:
        with options.csv.open("w", newline="") as file:
            csv.writer(file).writerows([("where", "who", "what", "bytes", "round", "ns"), *rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())

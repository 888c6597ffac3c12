#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One-sided operations over TCP: UCCS beside Open MPI, MPICH and TCP itself, in rounds that alternate.

usage: compare.py BIN_DIR [--net ucx|ofi|all] [--where loopback|hosts|all] [--rounds 5] [--seconds 0.03] [--csv FILE]

loopback: two processes of this machine, which are told to share no memory (UCCS_NODE_SIZE=1 and the
peers' switches). hosts: two network namespaces joined by veth (root only, tests/cluster/hosts.py).
Printed are medians over the rounds, the best peer, the best one by the same library, and what the
limit allows: a word there and back is a ping-pong of bare sockets whose ends spin, and a barrier an
exchange between them. Peers that are not installed are left out with a line.
"""
import argparse
import collections
import csv
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tests" / "cluster"))
import hosts as cluster  # noqa: E402

NETS = {"ucx": "UCX", "ofi": "libfabric"}  # what UCCS takes over tcp by itself comes first
LIMIT_S = 40
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

WRAPPER = """#!/bin/sh
# Each process on a CPU of its own.
exec taskset -c $((${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}} % $(nproc --all))) "$@"
"""


def read_lines(text):
    rows = (line.split() for line in text.splitlines())
    return {(row[0], int(row[1])): float(row[2]) for row in rows
            if len(row) == 3 and row[1].isdigit() and row[2].replace(".", "", 1).isdigit()}


class Runner:
    def __init__(self, bin_dir, options, folder, machines):
        self.bin, self.options, self.folder, self.machines = bin_dir, options, folder, machines
        self.device = "eth0" if machines else "lo"
        self.pin = folder / "pin"
        self.pin.write_text(WRAPPER)
        self.pin.chmod(0o755)

    def launch(self, engine, options, settings, program):
        """A job of two processes, one per host; settings reach all of them."""
        words = [self.pin, program, str(self.options.seconds)]
        if "mpirun" in engine or "oshrun" in engine:
            options = [*options, *(word for name in settings for word in ("-x", name))]
        if self.machines:
            command = self.machines.engine(engine, 2, *options, *words)
        elif "hydra" in engine:
            command = [engine, "-n", "2", *options, *words]
        else:
            command = [engine, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2",
                       *options, *words]
        return self.run(command, settings)

    def run(self, command, settings):
        command = list(map(str, command))
        with subprocess.Popen(command, env={**os.environ, **settings}, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
            try:
                out, self.said = job.communicate(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                job.terminate()
                out, self.said = job.communicate()
        return read_lines(out)  # some peers crash after their last line

    def tcp(self):
        at = self.machines.address("n1") if self.machines else "127.0.0.1"
        program, cpu = self.bin / "net_tcp", str((os.cpu_count() or 1) - 1)
        on = (lambda host, *words: self.machines.command(host, *words)) if self.machines else \
            (lambda _, *words: list(words))
        server = subprocess.Popen(list(map(str, on("n1", "taskset", "-c", cpu, program, "serve", at))),
                                  stdout=subprocess.PIPE, text=True)
        try:
            port = server.stdout.readline().strip()
            return self.run(on("n0", "taskset", "-c", "0", program, at, port, self.options.seconds), {})
        finally:
            server.kill()
            server.wait()

    def uccs(self, net):
        settings = {"UCCS_NET": f"{net}:tcp"}
        if self.machines:
            return self.launch("/usr/bin/mpirun", [], settings, self.bin / "net_shmem")
        settings["UCCS_NODE_SIZE"] = "1"
        return self.run([self.bin / "oshrun", "-n", "2", "--bind", "core", "--timeout", str(LIMIT_S),
                         self.bin / "net_shmem", self.options.seconds], settings)

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


def measure(bin_dir, options, folder, built, machines):
    runner = Runner(bin_dir, options, folder, machines)
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
    times = {name: collections.defaultdict(list) for name in programs}
    for turn in range(options.rounds):
        for name, call in list(programs.items()):
            found = call()
            if not found:
                reason = ([line for line in runner.said.splitlines() if line.strip("- ")] or ["no output"])[-1]
                print(f"{name}: fails{' in a round' if turn else ', left out'}: {reason}")
                if not turn:
                    del programs[name]
            for key, value in found.items():
                times[name][key].append(value)
    return {name: {key: statistics.median(values) for key, values in rows.items()}
            for name, rows in times.items() if rows}


def microseconds(value):
    return f"{value / 1e3:9.2f}" if value is not None else f"{'-':>9}"


def report(net, where, medians):
    ours, bare = medians.get(f"UCCS, {net}", {}), medians.get("TCP", {})
    peers = {name: rows for name, rows in medians.items() if name != "TCP" and not name.startswith("UCCS")}
    print(f"\n{net}, {where}: microseconds per operation")
    print(f"{'':40}{'UCCS':>9}{'bare TCP':>9}{'x bare':>8}" + "".join(f"{name:>21}" for name in peers) +
          f"{'UCCS/best':>11}{'/' + NETS[net]:>11}")
    short = []
    for key, shown, limit_key, times in LINES:
        mine = ours.get(key)
        limit = bare[limit_key] * times if limit_key in bare else None
        line = f"{shown:40}{microseconds(mine)}{microseconds(limit)}"
        line += f"{mine / limit:8.2f}" if mine and limit else f"{'':8}"
        for rows in peers.values():
            line += f"{microseconds(rows.get(key)):>21}"
        found = [(rows[key], name) for name, rows in peers.items() if key in rows]
        best = min(found, default=None)
        like = min((one for one in found if one[1].endswith(NETS[net])), default=None)
        for other in (best, like):
            line += f"{mine / other[0]:11.2f}" if mine and other else f"{'':11}"
        if mine and best and mine > best[0]:
            short.append(f"{shown}: {mine / best[0]:.2f} times the best peer ({best[1]})")
        if mine and limit and key[0] in ("ping_pong", "put_quiet") and mine > limit * LIMIT_RATIO:
            short.append(f"{shown}: {mine / limit:.2f} times bare TCP, wanted {LIMIT_RATIO}")
        print(line)
    waits = {way: bare.get((f"ping_pong_{way}", 8)) for way in ("spin", "poll", "block")}
    print("bare TCP, 8 bytes one way: " +
          ", ".join(f"{way} {value / 1e3:.1f}" for way, value in waits.items() if value))
    for name, rows in peers.items():
        if ("send_receive", 8) in rows:
            print(f"{name}: send and receive of 8 bytes, one way {rows['send_receive', 8] / 1e3:.2f}")
    print("fell short:" if short else "nothing fell short")
    for line in short:
        print("  " + line)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("--net", choices=(*NETS, "all"), default="all")
    parser.add_argument("--where", choices=("loopback", "hosts", "all"), default="all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.03, help="per line")
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
                    medians = measure(bin_dir, options, folder, built, machines)
            else:
                medians = measure(bin_dir, options, folder, built, None)
            for net in NETS:
                if f"UCCS, {net}" in medians:
                    report(net, where, medians)
            rows += [(where, who, *key, value) for who, found in medians.items()
                     for key, value in found.items()]
    if options.csv:
        with options.csv.open("w", newline="") as file:
            csv.writer(file).writerows([("where", "who", "what", "bytes", "ns"), *rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())

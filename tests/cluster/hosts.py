#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hosts on one machine: network namespaces, each with a host name, an interface eth0 and names for
the others, joined by a bridge in a namespace of its own. Jobs cross them with a real engine, whose
remote shell is `agent` here. Links can be cut, slowed and made lossy, hosts stopped and killed.
Whatever happens, nothing stays when the `with` block ends.

By hand:  hosts.py 3 -- mpirun -n 6 ./program      (also mpiexec.hydra; or any command, on host 0)
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import processes

AGENT = """#!/bin/sh
# As ssh: options, the host, the command's words for a shell.
while :; do case "$1" in -x|-q|-n|-T) shift;; *) break;; esac; done
host=$1; shift
exec ip netns exec {prefix}-"$host" {python} {here} --on "$host" sh -c "$*"
"""

# Ends well when the address answers, if only that nobody listens at its port 9.
KNOCK = """
import errno, socket, sys
with socket.socket() as knocker:
    knocker.settimeout(1)
    sys.exit(knocker.connect_ex((sys.argv[1], 9)) not in (0, errno.ECONNREFUSED))
"""


def reason_not_to():
    """Why there can be no hosts here, or None."""
    if os.geteuid() != 0:
        return "network namespaces are made by root"
    if not shutil.which("ip"):
        return "ip is not installed (package iproute2)"
    name = f"uccs-probe-{os.getpid()}"
    made = quiet("ip", "netns", "add", name)
    joined = made.returncode == 0 and quiet("ip", "-n", name, "link", "add", "b0", "type", "bridge")
    quiet("ip", "netns", "del", name)
    if made.returncode != 0:
        return "no network namespace can be made: " + made.stderr.strip()
    if joined.returncode != 0:
        return "no bridge can be made: " + joined.stderr.strip()
    return None


def quiet(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)


def must(*command):
    result = quiet(*command)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {result.stderr.strip()}")


class Hosts:
    def __init__(self, count):
        self.prefix = f"uccs{os.getpid()}"
        self.names = [f"n{i}" for i in range(count)]
        self.switch = self.prefix + "-switch"
        self.spaces = []
        self.folder = None

    def space(self, host):
        return f"{self.prefix}-{host}"

    def address(self, host):
        return f"10.77.0.{self.names.index(host) + 1}"

    def __enter__(self):
        processes.adopt_strays()
        try:
            self.build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def build(self):
        self.folder = tempfile.mkdtemp(prefix="uccs-hosts-")
        self.agent = os.path.join(self.folder, "agent")
        with open(os.open(self.agent, os.O_CREAT | os.O_WRONLY, 0o755), "w",
                  encoding="ascii") as file:
            file.write(AGENT.format(prefix=self.prefix, python=sys.executable,
                                    here=os.path.abspath(__file__)))
        self.add_space(self.switch)
        must("ip", "-n", self.switch, "link", "add", "bridge", "type", "bridge")
        must("ip", "-n", self.switch, "link", "set", "bridge", "up")
        table = "".join(f"{self.address(host)} {host}\n" for host in self.names)
        for host in self.names:
            space = self.space(host)
            # `ip netns exec` puts this file in the place of /etc/hosts.
            os.makedirs(f"/etc/netns/{space}", exist_ok=True)
            with open(f"/etc/netns/{space}/hosts", "w", encoding="ascii") as file:
                file.write("127.0.0.1 localhost\n" + table)
            self.add_space(space)
            must("ip", "-n", self.switch, "link", "add", host, "type", "veth", "peer", "name",
                 "eth0", "netns", space)
            must("ip", "-n", self.switch, "link", "set", host, "master", "bridge", "up")
            must("ip", "-n", space, "addr", "add", self.address(host) + "/24", "dev", "eth0")
            must("ip", "-n", space, "link", "set", "eth0", "up")
            must("ip", "-n", space, "link", "set", "lo", "up")
        for host in self.names[1:]:
            self.wait_for_roads(host)

    def add_space(self, space):
        self.spaces.append(space)
        must("ip", "netns", "add", space)

    def __exit__(self, *_):
        for space in self.spaces:
            for pid in self.pids_of(space):
                kill(pid, signal.SIGKILL)
        processes.end_strays()
        for space in self.spaces:
            quiet("ip", "netns", "del", space)
            shutil.rmtree(f"/etc/netns/{space}", ignore_errors=True)
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        try:
            os.rmdir("/etc/netns")  # ours or empty, else it stays
        except OSError:
            pass

    @staticmethod
    def pids_of(space):
        return [int(pid) for pid in quiet("ip", "netns", "pids", space).stdout.split()]

    def pids(self, host, program=None):
        """The processes on a host; with `program` those that execute this file."""
        wanted = None if program is None else set(processes.named(program))
        return [pid for pid in self.pids_of(self.space(host)) if wanted is None or pid in wanted]

    # What can happen to a host.
    def cut(self, host):
        must("ip", "-n", self.switch, "link", "set", host, "down")

    def mend(self, host):
        """Ends when all hosts reach it again, which may be seconds after its link is up: the kernel
        works off such changes one by one, those of other namespaces among them."""
        must("ip", "-n", self.switch, "link", "set", host, "up")
        self.wait_for_roads(host)

    def wait_for_roads(self, host, seconds=60):
        others = [name for name in self.names if name != host]
        roads = [(host, other) for other in others] + [(other, host) for other in others]
        end = time.monotonic() + seconds
        while roads:
            here, there = roads[0]
            if quiet(*self.command(here, sys.executable, "-c", KNOCK, self.address(there))).returncode == 0:
                roads.pop(0)
            elif time.monotonic() > end:
                raise RuntimeError(f"{here} does not reach {there} within {seconds} s")

    def separate(self, one, other):
        """What they send each other gets lost; all others reach both."""
        for here, there in ((one, other), (other, one)):
            must("ip", "-n", self.space(here), "neigh", "replace", self.address(there), "lladdr",
                 "02:00:00:00:00:99", "dev", "eth0", "nud", "permanent")

    def join(self, one, other):
        for here, there in ((one, other), (other, one)):
            quiet("ip", "-n", self.space(here), "neigh", "del", self.address(there), "dev", "eth0")

    def rate(self, host, bits="10mbit", burst="16kb"):
        must("tc", "-n", self.switch, "qdisc", "replace", "dev", host, "root", "tbf", "rate", bits,
             "burst", burst, "latency", "50ms")

    def unlimit(self, host):
        must("tc", "-n", self.switch, "qdisc", "del", "dev", host, "root")

    def drop(self, host, percent=5):
        """Loses packets towards the host. Without netem in the kernel: those of every burst that
        a short queue does not hold."""
        netem = quiet("tc", "-n", self.switch, "qdisc", "replace", "dev", host, "root", "netem",
                      "loss", f"{percent}%")
        if netem.returncode != 0:
            must("tc", "-n", self.switch, "qdisc", "replace", "dev", host, "root", "tbf", "rate",
                 "20mbit", "burst", "4kb", "limit", "6kb")

    def stop(self, host):
        for pid in self.pids(host):
            kill(pid, signal.SIGSTOP)

    def resume(self, host):
        for pid in self.pids(host):
            kill(pid, signal.SIGCONT)

    def kill(self, host):
        """As when its power fails: the link first, so that nothing says good-bye."""
        self.cut(host)
        for pid in self.pids(host):
            kill(pid, signal.SIGKILL)

    def command(self, host, *words):
        return ["ip", "netns", "exec", self.space(host), sys.executable,
                os.path.abspath(__file__), "--on", host, *map(str, words)]

    def engine(self, name, count, *words, per_host=None):
        """The command that starts `count` processes over all hosts, from the first, by an mpirun or
        mpiexec.hydra of whatever path."""
        each = per_host or -(-count // len(self.names))
        if "mpirun" in name:
            line = [name, "--allow-run-as-root", "--oversubscribe", "-n", count,
                    "--host", ",".join(f"{host}:{each}" for host in self.names),
                    "-mca", "plm_rsh_agent", self.agent, "-mca", "plm_rsh_no_tree_spawn", 1,
                    "-mca", "oob_tcp_if_include", "eth0", "-mca", "btl_tcp_if_include", "eth0",
                    "-mca", "btl", "self,tcp", "--bind-to", "none"]
        else:
            line = [name, "-launcher", "ssh", "-launcher-exec", self.agent, "-hosts",
                    ",".join(f"{host}:{each}" for host in self.names), "-iface", "eth0",
                    "-n", count]
        return self.command(self.names[0], *line, *words)

    def start(self, command, env=None, **extra):
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})},
                                **extra)

    def run(self, command, timeout=60, env=None):
        job = self.start(command, env)
        try:
            out, err = job.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            job.kill()
            raise
        return subprocess.CompletedProcess(command, job.returncode, out, err)


def kill(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def become(host, words):
    """In the namespace of a host: takes its name, then runs the command."""
    CLONE_NEWUTS = 0x04000000
    import ctypes
    import socket
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWUTS) != 0:
        sys.exit(f"cannot take the name {host}: {os.strerror(ctypes.get_errno())}")
    socket.sethostname(host)
    # libfabric looks for a driver in the kernel's list of symbols, at every start: 0.25 s of CPU. A
    # host of ours has none. (`ip netns exec` gave this process mounts of its own.)
    MS_BIND = 0x1000
    libc.mount(b"/dev/null", b"/proc/kallsyms", None, MS_BIND, None)
    os.execvp(words[0], words)


def main():
    if sys.argv[1:2] == ["--on"]:
        become(sys.argv[2], sys.argv[3:])
    if "--" not in sys.argv:
        sys.exit(__doc__)
    reason = reason_not_to()
    if reason:
        sys.exit("no hosts here: " + reason)
    words = sys.argv[sys.argv.index("--") + 1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that everything is put away
    with Hosts(int(sys.argv[1])) as hosts:
        if words[0] in ("mpirun", "mpiexec.hydra") and "-n" in words[1:2]:
            command = hosts.engine(words[0], int(words[2]), *words[3:])
        else:
            command = hosts.command(hosts.names[0], *words)
        sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()

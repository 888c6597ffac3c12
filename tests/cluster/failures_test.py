#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What breaks while ECs on three hosts (network namespaces) communicate over a network: the job ends with
a message that names the EC and its host, with a status that is not 0, and no process stays on any host.

    failures_test.py NETWORK STORM LIBRARIES [Dies|Cut|Start|Stopped|Waiting|Rubbish]     exit status 77: skipped
"""

import ctypes
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

import hosts
import processes

NETWORK, STORM, LIBRARIES = sys.argv[1:4]
ENGINE = "mpiexec.hydra"
PES = 6  # two on each host
PEER_TIMEOUT = 2
LOST = r"EC \d on n\d (cannot be connected to|has not answered in time|cannot be reached)"
cluster = None


class Failure(unittest.TestCase):
    def start(self, *words, **extra):
        env = {"UCCS_NET": NETWORK, "UCCS_NET_PLUGINS": LIBRARIES, "UCCS_START_TIMEOUT": "30",
               "UCCS_PEER_TIMEOUT": str(PEER_TIMEOUT), **extra}
        job = cluster.start(cluster.engine(ENGINE, PES, STORM, *words), env=env,
                            start_new_session=True)
        self.addCleanup(self.tidy, job)
        return job

    def tidy(self, job):
        for host in cluster.names:
            for pid in cluster.pids(host):
                hosts.kill(pid, signal.SIGKILL)
        job.communicate()

    def start_ready(self, *words, **extra):
        job = self.start(*words, **extra)
        self.assertEqual(job.stdout.readline(), "ready\n")
        return job

    def await_processes(self):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if all(len(cluster.pids(host, STORM)) == 2 for host in cluster.names):
                return
            time.sleep(0.01)
        self.fail("not all PEs are there")

    def pid_of(self, pe):
        """The process of a PE; the engine numbers the processes as we do."""
        for pid in cluster.pids(f"n{pe // 2}", STORM):
            with open(f"/proc/{pid}/environ", "rb") as file:
                if f"PMI_RANK={pe}".encode() in file.read().split(b"\0"):
                    return pid
        self.fail(f"PE {pe} is not there")

    def check_end(self, job, said, seconds=20, only_hosts=None):
        """Within the time no PE is left, and the engine ends with a failure."""
        end = time.monotonic() + seconds
        left = [1]
        while left and time.monotonic() < end:
            time.sleep(0.05)
            left = [pid for host in only_hosts or cluster.names for pid in cluster.pids(host, STORM)]
        self.assertEqual(left, [], "PEs go on")
        try:
            out, err = job.communicate(timeout=5 if only_hosts is None else 0.5)
        except subprocess.TimeoutExpired:
            self.assertIsNotNone(only_hosts, "the engine goes on")  # it waits for its own daemon
            os.killpg(job.pid, signal.SIGKILL)
            out, err = job.communicate()
        self.assertNotEqual(job.returncode, 0, out + err)
        self.assertNotIn("VERIFIED", out)
        self.assertRegex(out + err, said)


class Dies(Failure):
    def test_killed_ecs(self):
        dice = random.Random(int(time.time()))
        for pe in (0, 3, 5):
            delay = dice.random()
            with self.subTest(pe=pe, delay=delay):
                job = self.start_ready("storm", 30)
                time.sleep(delay)
                os.kill(self.pid_of(pe), signal.SIGKILL)
                self.check_end(job, rf"EC {pe} on n{pe // 2}|PID \d+ RUNNING AT n{pe // 2}")

    def test_killed_while_they_connect(self):
        job = self.start("storm", 30)
        self.await_processes()
        time.sleep(random.random() / 2)
        os.kill(self.pid_of(5), signal.SIGKILL)
        self.check_end(job, r"EC 5 on n2|PID \d+ RUNNING AT n2|rank 5 has gone while")


class Cut(Failure):
    def test_a_host_is_cut_off(self):
        job = self.start_ready("storm", 30)
        cluster.cut("n2")
        self.addCleanup(cluster.mend, "n2")
        self.check_end(job, "EC [45] on n2|EC 0 on n0 is lost", only_hosts=cluster.names)

    def test_two_hosts_lose_sight_of_each_other(self):
        # Rank 0 sees both, so only the network itself can notice.
        job = self.start_ready("storm", 30)
        cluster.separate("n1", "n2")
        self.addCleanup(cluster.join, "n1", "n2")
        self.check_end(job, LOST)


class Start(Failure):
    def test_connections_are_refused(self):
        # Each host's loopback: over there nobody listens at our addresses, or the wrong one.
        job = self.start("storm", 1, UCCS_NET_INTERFACE="lo")
        self.await_processes()
        self.check_end(job, LOST, seconds=60)  # the clock of an EC stands still while it has no CPU

    def test_an_address_never_comes(self):
        job = self.start_ready("address")
        self.check_end(job, "EC 5 on n2 has not said where it can be reached")


class Stopped(Failure):
    def test_a_stopped_target_is_flooded(self):
        job = self.start_ready("flood", 3)
        time.sleep(0.3)
        os.kill(self.pid_of(3), signal.SIGSTOP)
        self.check_end(job, "EC 3 on n1 has not answered in time: it is stopped")

    def test_a_short_stop_is_nothing(self):
        job = self.start_ready("storm", 2)
        pid = self.pid_of(3)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(1)
        os.kill(pid, signal.SIGCONT)
        out, err = job.communicate(timeout=30)
        self.assertEqual((job.returncode, out.count("VERIFIED")), (0, 1), out + err)


class Waiting(Failure):
    """All but one PE wait in a barrier, where nothing of theirs is under way."""

    def test_for_one_that_computes(self):
        job = self.start_ready("late", 3 * PEER_TIMEOUT)
        start = time.monotonic()
        out, err = job.communicate(timeout=60)
        self.assertEqual((job.returncode, out.count("VERIFIED")), (0, 1), out + err)
        # Who has asked the others for a word does not wait for those that have ended.
        self.assertLess(time.monotonic() - start, 3 * PEER_TIMEOUT + 4)

    def test_for_one_that_is_stopped(self):
        job = self.start_ready("late", 60)
        os.kill(self.pid_of(4), signal.SIGSTOP)  # the one of its host that other hosts talk to
        self.check_end(job, "EC 4 on n2 has not answered in time: it is stopped")

    def test_while_a_link_is_cut(self):
        job = self.start_ready("late", 60)
        cluster.separate("n1", "n2")
        self.addCleanup(cluster.join, "n1", "n2")
        self.check_end(job, LOST)


class Rubbish(Failure):
    def test_rubbish_at_every_port(self):
        job = self.start_ready("storm", 5)
        thrown = 0
        for host in cluster.names:
            pids = cluster.pids(host, STORM)
            child = os.fork()
            if child == 0:
                try:
                    os._exit(throw(pids))
                finally:
                    os._exit(0)
            thrown += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out, err = job.communicate(timeout=40)
        print(f"{thrown} ports; {out.strip()} {err.strip()}", flush=True)
        self.assertEqual((job.returncode, out.count("VERIFIED")), (0, 1), out + err)
        self.assertGreater(thrown, 0)


def throw(pids):
    """In the network of these processes: each of their listening ports gets bad callers. How many."""
    with open(f"/proc/{pids[0]}/ns/net", encoding="ascii") as space:
        if ctypes.CDLL(None).setns(space.fileno(), 0) != 0:
            return 0
    owned = set()
    for pid in pids:  # what it inherited is the launcher's
        owned |= processes.sockets_of(pid) - processes.sockets_of(processes.parent_of(pid))
    places = set()
    with open("/proc/net/tcp", encoding="ascii") as table:
        for row in list(table)[1:]:
            fields = row.split()
            if fields[3] == "0A" and fields[9] in owned:
                address, port = fields[1].split(":")
                places.add((socket.inet_ntoa(bytes.fromhex(address)[::-1]), int(port, 16)))
    dice = random.Random(7)
    words = [dice.randbytes(length) for length in (0, 1, 7, 16, 64, 300, 4096, 70000)]
    # What begins like a greeting of libfabric's tcp: version, kind, length.
    words += [bytes((version, kind)) + length.to_bytes(2, "big") + dice.randbytes(60 + length // 2)
              for version in (2, 3) for kind in (1, 2, 3) for length in (0, 40, 600)]
    # UCX's tcp: its number, whole and cut short.
    words += [(0xCAFEBABE12345678).to_bytes(8, "little")[:length] for length in (3, 8)]
    held = []  # these say no more, and stay
    for place in places:
        for said in words:
            caller = socket.socket()
            caller.settimeout(0.2)
            try:
                caller.connect(place)
                caller.sendall(said)
            except OSError:
                pass
            if len(said) in (3, 7, 8):
                held.append(caller)
            else:
                caller.close()
    for caller in held:
        caller.close()
    return len(places)


def main():
    global cluster
    reason = hosts.reason_not_to() or (None if shutil.which(ENGINE) else ENGINE + " is not installed")
    if reason:
        print("SKIP " + reason)
        sys.exit(77)
    with hosts.Hosts(3) as cluster:
        result = unittest.main(argv=[sys.argv[0], *sys.argv[4:]], exit=False).result
    sys.exit(0 if result.wasSuccessful() else 1)


main()

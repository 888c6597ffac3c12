#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs across hosts (network namespaces): start-up, exchange, and what breaks.

    hosts_test.py ENGINE RTE_JOB INTERNAL_PROBE [Works|Breaks]     exit status 77: skipped
"""

import os
import random
import shutil
import socket
import sys
import time
import unittest

import hosts
import processes

ENGINE, RTE_JOB, PROBE = sys.argv[1:4]
BACKEND, RANK = {"mpirun": ("pmix", "PMIX_RANK"), "mpiexec.hydra": ("pmi", "PMI_RANK")}[ENGINE]
SECONDS = 60
cluster = None


def settings(ecs, nodes=2, **extra):
    return {"EXPECTED_ECS": str(ecs), "EXPECTED_BACKEND": BACKEND, "EXPECTED_NODES": str(nodes),
            "UCCS_START_TIMEOUT": "20", "OMPI_MCA_odls_base_sigkill_timeout": "0", **extra}


def job(ecs, *words, env, per_host=None):
    """mpirun passes on only what it is told to."""
    if ENGINE == "mpirun":
        words = [word for name in env for word in ("-x", name)] + list(words)
    return cluster.engine(ENGINE, ecs, *words, per_host=per_host)


class Across:
    def tearDown(self):
        left = [pid for host in cluster.names for program in (RTE_JOB, PROBE)
                for pid in cluster.pids(host, program)]
        for pid in left:
            hosts.kill(pid, 9)
        self.assertEqual(left, [], "processes were left")

    def check(self, result, status=0):
        noise = [text for text in result.stderr.splitlines() if text and "setpgid" not in text]
        self.assertEqual((result.returncode, noise), (status, []), result)

    def await_(self, condition, what):
        end = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), end, f"never: {what}")
            time.sleep(0.02)


class Works(Across, unittest.TestCase):
    def test_exchange(self):
        env = settings(4)
        self.check(cluster.run(job(4, RTE_JOB, env=env), env=env))

    def test_ranks_that_take_turns_between_hosts(self):
        # Whatever the engine does with the ranks, a node's ECs are consecutive.
        env = settings(4)
        command = job(4, RTE_JOB, env=env, per_host=1)
        if ENGINE == "mpirun":
            command[command.index("-n"):command.index("-n")] = ["--map-by", "node"]
        self.check(cluster.run(command, env=env))

    def test_slow_and_lossy_network(self):
        env = settings(2)
        cluster.rate("n0", "400mbit")
        cluster.drop("n1")
        try:
            self.check(cluster.run(job(2, RTE_JOB, env=env), env=env))
        finally:
            for host in cluster.names:
                hosts.quiet("tc", "-n", cluster.switch, "qdisc", "del", "dev", host, "root")

    def test_a_host_that_pauses(self):
        env = settings(4)
        running = cluster.start(job(4, RTE_JOB, env=env), env=env)
        time.sleep(0.5)
        cluster.stop("n1")
        time.sleep(0.5)
        cluster.resume("n1")
        _, errors = running.communicate(timeout=SECONDS)
        self.assertEqual(running.returncode, 0, errors)


class Breaks(Across, unittest.TestCase):
    def test_rank_0_cannot_be_reached(self):
        env = settings(4, UCCS_INTERFACE="lo")
        result = cluster.run(job(4, RTE_JOB, env=env), env=env)
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"rank [23] cannot reach rank 0 on n0 \(127.0.0.1 port \d+: "
                                        r"Connection refused")
        env = settings(4, UCCS_INTERFACE="moon")
        result = cluster.run(job(4, RTE_JOB, env=env), env=env)
        self.assertIn("UCCS_INTERFACE=moon: this node has no such network interface", result.stderr)

    def test_a_host_dies(self):
        env = settings(4, UCCS_PEER_TIMEOUT="2")
        running = cluster.start(job(4, PROBE, "wait", env=env), env=env)
        self.await_(lambda: len(cluster.pids("n1", PROBE)) == 2 and
                    len(cluster.pids("n0", PROBE)) == 2, "4 ECs")
        time.sleep(0.5)
        cluster.kill("n1")
        try:
            # mpirun itself waits on for its daemon there; the ECs do not.
            self.await_(lambda: not cluster.pids("n0", PROBE), "end of the ECs")
            if ENGINE == "mpirun":
                running.kill()
            _, errors = running.communicate(timeout=SECONDS)
        finally:
            cluster.mend("n1")
            running.kill()
        self.assertNotEqual(running.returncode, 0)
        self.assertRegex(errors, "EC [23] on n1 is lost: .* its node cannot be reached any more")

    def test_rubbish_at_every_listening_socket(self):
        env = settings(4)
        late = job(4, "sh", "-c", f"[ ${RANK} = 3 ] && sleep 2; exec {RTE_JOB}", env=env)
        running = cluster.start(late, env=env)
        self.await_(lambda: cluster.pids("n0", RTE_JOB), "rank 0")
        time.sleep(0.5)
        child = os.fork()
        if child == 0:  # into the network of rank 0's host
            os._exit(self.throw_rubbish(cluster.pids("n0", RTE_JOB)[0]))
        _, status = os.waitpid(child, 0)
        self.assertGreaterEqual(os.waitstatus_to_exitcode(status), 2, "no listening socket found")
        _, errors = running.communicate(timeout=SECONDS)
        self.assertEqual(running.returncode, 0, errors)

    @staticmethod
    def throw_rubbish(pid):
        """How many sockets of UCCS listen on the host of `pid`; each gets 30 bad callers."""
        import ctypes
        with open(f"/proc/{pid}/ns/net", encoding="ascii") as space:
            if ctypes.CDLL(None).setns(space.fileno(), 0) != 0:
                return 0
        places = []
        owned = processes.sockets_of(pid) - processes.sockets_of(processes.parent_of(pid))
        with open("/proc/net/tcp", encoding="ascii") as table:
            for row in list(table)[1:]:
                fields = row.split()
                if fields[3] == "0A" and fields[9] in owned:
                    address, port = fields[1].split(":")
                    places.append((socket.AF_INET, (socket.inet_ntoa(bytes.fromhex(address)[::-1]),
                                                    int(port, 16))))
        with open("/proc/net/unix", encoding="ascii") as table:
            for row in table:
                name = row.split()[-1]
                if name.startswith("@uccs-"):
                    places.append((socket.AF_UNIX, "\0" + name[1:]))
        dice = random.Random(5)
        for family, place in set(places):
            for round_ in range(30):
                with socket.socket(family, socket.SOCK_STREAM) as caller:
                    caller.settimeout(2)
                    try:
                        caller.connect(place)
                        caller.sendall(dice.randbytes(dice.choice([0, 1, 51, 52, 53, 4096])))
                        if round_ % 2:
                            caller.recv(64)
                    except OSError:
                        pass
        return len(set(places))


def main():
    global cluster
    reason = hosts.reason_not_to() or (None if shutil.which(ENGINE) else ENGINE + " is not installed")
    if reason:
        print("SKIP " + reason)
        sys.exit(77)
    with hosts.Hosts(2) as cluster:
        program = unittest.main(argv=[sys.argv[0], *sys.argv[4:]], exit=False)
    sys.exit(0 if program.result.wasSuccessful() else 1)


main()

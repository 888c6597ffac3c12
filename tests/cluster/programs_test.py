#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""OpenSHMEM programs on two hosts (network namespaces) with two PEs each: what is between the hosts goes
over a network: over its interface, which UCCS finds by itself.

    programs_test.py ENGINE BIN_DIR NETWORK [Works|Breaks]     exit status 77: skipped
"""

import os
import re
import shutil
import sys
import time
import unittest

import hosts

ENGINE, BIN, NETWORK = sys.argv[1:4]
PES = 4
cluster = None


def program(name):
    return os.path.join(BIN, name)


def start(*words, **env):
    """mpirun passes on only what it is told to."""
    env = {"UCCS_NET": NETWORK, "UCCS_START_TIMEOUT": "20", "OMPI_MCA_odls_base_sigkill_timeout": "0", **env}
    if ENGINE == "mpirun":
        words = [word for name in env for word in ("-x", name)] + list(words)
    return cluster.start(cluster.engine(ENGINE, PES, *words), env=env)


def run(*words, **env):
    job = start(*words, **env)
    try:
        out, err = job.communicate(timeout=60)
    finally:
        job.kill()
    return job.returncode, out, err


class Programs:
    def tearDown(self):
        for host in cluster.names:
            for name in ("hello", "heat", "ft", "gasnet_hello", "cluster_oncoming", "cluster_overtaking"):
                for pid in cluster.pids(host, program(name)):
                    hosts.kill(pid, 9)


class Works(Programs, unittest.TestCase):
    def test_who_is_where(self):
        status, out, err = run(program("hello"))
        self.assertEqual(status, 0, err)
        # The engine says which host has which ranks; ECs are numbered by host.
        self.assertEqual(sorted(out.split("\n")[:-1]),
                         [f"PE {pe} of {PES} on n{pe // 2}" for pe in range(PES)])

    def test_puts_waits_and_reductions(self):
        status, out, err = run(program("heat"))
        self.assertEqual((status, out.count("VERIFIED")), (0, 1), out + err)

    def test_all_exchanges_of_a_transform(self):
        status, out, err = run(program("ft"), "--class", "S")
        self.assertEqual((status, out.count("VERIFIED")), (0, 3), out + err)

    def test_gasnet(self):
        status, out, err = run(program("gasnet_hello"))
        self.assertEqual((status, out.count("VERIFIED"), out.count(f"hello, we are {PES}")), (0, 1, PES), out + err)

    def run_over_a_slow_link(self, name):
        for host in cluster.names:
            cluster.rate(host, "400mbit")
        try:
            status, _, err = run(program(name))
        finally:
            for host in cluster.names:
                cluster.unlimit(host)
        self.assertEqual(status, 0, err)

    def test_bytes_move_both_ways_at_a_time(self):
        self.run_over_a_slow_link("cluster_oncoming")

    @unittest.skipIf(NETWORK == "ofi", "libfabric has one connection for all")
    def test_short_operations_overtake_long_ones(self):
        self.run_over_a_slow_link("cluster_overtaking")

    def test_the_interface_between_the_hosts_is_chosen(self):
        status, _, err = run(program("hello"), UCCS_LOG="info")
        self.assertEqual(status, 0, err)
        chosen = r"network: UCX .*\btcp/(eth0)\b" if NETWORK == "ucx" else r"network: .* on (\w+),"
        self.assertEqual(re.findall(chosen, err), ["eth0"] * PES, err)


class Breaks(Programs, unittest.TestCase):
    def test_without_network(self):
        status, _, err = run(program("heat"), UCCS_NET="none")
        self.assertNotEqual(status, 0)
        self.assertIn("not all of them are on this node, and no network joins the nodes: UCCS_NET=none "
                      "forbids it", err)

    def test_a_host_dies(self):
        job = start(program("ft"), "--class", "A", UCCS_PEER_TIMEOUT="2")
        try:
            end = time.monotonic() + 30
            while len(cluster.pids("n1", program("ft"))) < 2 and time.monotonic() < end:
                time.sleep(0.02)
            time.sleep(1)
            cluster.kill("n1")
            while cluster.pids("n0", program("ft")) and time.monotonic() < end:
                time.sleep(0.02)
            self.assertEqual(cluster.pids("n0", program("ft")), [], "PEs of the other host go on")
            job.kill()  # mpirun itself waits on for its daemon there
            _, err = job.communicate(timeout=60)
        finally:
            cluster.mend("n1")
            job.kill()
        # Whoever notices first: the runtime, or an operation over the network.
        self.assertRegex(err, "(EC|PE) [23] (on n1 )?(is lost|is gone|failed: the peer ended|has not answered|"
                         "cannot be)")


def main():
    global cluster
    reason = hosts.reason_not_to() or (None if shutil.which(ENGINE) else ENGINE + " is not installed")
    if reason:
        print("SKIP " + reason)
        sys.exit(77)
    with hosts.Hosts(2) as cluster:
        result = unittest.main(argv=[sys.argv[0], *sys.argv[4:]], exit=False).result
    sys.exit(0 if result.wasSuccessful() else 1)


main()

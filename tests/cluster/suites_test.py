#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The suites across hosts: programs of tests/spmd and tests/conformance on two hosts (network namespaces)
with two ECs each, the Fourier transform on four hosts, over one network.

    suites_test.py NETWORK PART SUITE BIN_DIR [ENGINE]     exit status 77: skipped

PART: conformance, coll, uccs, shmem or ft; `uccs.2` is every other program of uccs, from the second on.
SUITE: a file with a line `name program arguments` per program. All run in the same hosts, two jobs at
a time: starting them is mostly waiting. They repeat less than on a node (TEST_DIVISOR), where the same
programs run as they are.
"""

import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time

import hosts

NETWORK, PART, SUITE, BIN = sys.argv[1:5]
ENGINE = sys.argv[5] if len(sys.argv) > 5 else "mpiexec.hydra"
PES = 4
SECONDS = 200  # on a busy machine; one of them takes a few by itself
SHARES = collections.Counter({"uccs": 2, "shmem": 3})

PREFIXES = {"conformance": "conformance.", "coll": "spmd.coll.", "uccs": "spmd.uccs.",
            "shmem": "spmd.shmem."}
# The same over a network as what is there, inside a node they run anyway.
LEFT_OUT = re.compile(r"spmd\.shmem\.(cxx11|inline_\w+|profiling)$")
DIVISOR = "20"  # tests/spmd/rounds.h
ROUNDS = {"coll_test": "1"}  # instead of a hundred


def programs():
    part, _, share = PART.partition(".")
    found = []
    with open(SUITE, encoding="utf-8") as file:
        for line in file:
            name, *words = line.split() or [""]
            if not name.startswith(PREFIXES[part]) or LEFT_OUT.match(name):
                continue
            rounds = ROUNDS.get(os.path.basename(words[0]))
            if part == "conformance":
                words.append(NETWORK)
            found.append((name, words + ([rounds] if rounds else [])))
    return found[int(share) - 1::SHARES[part]] if share else found


def job(cluster, name, words):
    env = {"UCCS_START_TIMEOUT": "100", "UCCS_NET": NETWORK,
           "UCCS_NET_PLUGINS": os.path.join(os.path.dirname(BIN), "lib"),
           "UCCS_TIMEOUT": str(SECONDS), "TEST_DIVISOR": DIVISOR}
    if ENGINE == "mpirun":
        words = [word for key in env for word in ("-x", key)] + list(words)
    pes = max(PES, len(cluster.names))
    began = time.monotonic()
    running = cluster.start(cluster.engine(ENGINE, pes, *words), env=env, start_new_session=True)
    try:
        out, err = running.communicate(timeout=SECONDS)
        status = running.returncode
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, 9)
        out, err = running.communicate()
        status = "no end"
    took = time.monotonic() - began
    is_good = status in (0, 77) and (PART != "ft" or "VERIFIED" in out)
    skipped = "".join("  " + line for line in out.splitlines() if line.startswith("SKIP"))
    print(f"{'ok' if is_good else 'FAILED'}  {took:5.1f} s  {name}{skipped[:100]}", flush=True)
    if not is_good:
        print(f"status {status}\n{out[-2000:]}\n{err[-3000:]}", flush=True)
    return is_good


def main():
    reason = hosts.reason_not_to() or (None if shutil.which(ENGINE) else ENGINE + " is not installed")
    if reason:
        print("SKIP " + reason)
        sys.exit(77)
    if PART == "ft":
        ft = os.path.join(BIN, "ft")
        if not os.path.exists(ft):
            print("SKIP the Fourier transform was not built: FFTW is missing")
            sys.exit(77)
        work = [(f"ft {size}", [ft, "--class", size]) for size in ("S", "W")]
    else:
        work = programs()
    with hosts.Hosts(4 if PART == "ft" else 2) as cluster:
        with concurrent.futures.ThreadPoolExecutor(2) as crew:
            results = list(crew.map(lambda each: job(cluster, *each), work))
        left = [pid for host in cluster.names for pid in cluster.pids(host)]
    if left:
        print("processes were left:", left)
    if not work:
        print(f"nothing in {SUITE} belongs to {PART}")
    sys.exit(0 if work and all(results) and not left else 1)


main()

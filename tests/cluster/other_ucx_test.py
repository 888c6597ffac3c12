#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The plug-in for UCX with another UCX than the one that it was linked with.

    TEST_UCX_LIB=FOLDER[:FOLDER...] other_ucx_test.py SUITE BIN_DIR     exit status 77: skipped

FOLDER has a `libucp.so.0`. SUITE: a file with a line `name program arguments` per program, of which the
conformance suite runs between two ECs, and what works on single words with two nodes of two. Then
connections break, and one EC of two has the other UCX alone, which must end with an explanation.
"""

import os
import re
import subprocess
import sys
import tempfile

SUITE, BIN = sys.argv[1:3]
NODES = re.compile(r"spmd\.(uccs\.atomic|shmem\.(bursts|computing|counting|locks|ordering|signals)$)")
BROKEN = re.compile(r"EC 2 on [^ ]+ (cannot be reached: UCX says|has not answered in time)")
MIXED = "they do not understand each other"
SECONDS = 60


def run(folder, words, **extra):
    path = ":".join(filter(None, [folder, os.environ.get("LD_LIBRARY_PATH")]))
    env = {**os.environ, "LD_LIBRARY_PATH": path, "UCCS_NET": "ucx:tcp",
           "UCCS_NET_PLUGINS": os.path.join(os.path.dirname(BIN), "lib"), **extra}
    try:
        done = subprocess.run(words, env=env, timeout=SECONDS, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired as late:
        return "no end", str(late.output)
    return done.returncode, done.stdout


def launch(pes, *words):
    return [os.path.join(BIN, "oshrun"), "-n", str(pes), "--timeout", str(SECONDS - 10), *words]


def version_of(folder):
    """What the library there says of itself."""
    ask = ("import ctypes; say = ctypes.CDLL('libucp.so.0').ucp_get_version_string; "
           "say.restype = ctypes.c_char_p; print(say().decode())")
    status, said = run(folder, [sys.executable, "-c", ask])
    return said.strip() if status == 0 else f"no UCX: {said.strip()}"


def run_mixed(folder):
    """The first of two ECs to make the folder has the other UCX."""
    with tempfile.TemporaryDirectory() as made:
        first = f'mkdir "{made}/first" 2>/dev/null && export LD_LIBRARY_PATH="{folder}"; exec "$0"'
        words = launch(2, "sh", "-c", first, os.path.join(BIN, "shmem_computing"))
        return run(None, words, UCCS_NODE_SIZE="1")


def programs():
    with open(SUITE, encoding="utf-8") as file:
        for line in file:
            name, *words = line.split() or [""]
            if name.startswith("conformance."):
                yield name, launch(2, *words, "ucx"), {}
            elif NODES.match(name):
                yield name, launch(4, *words), {"UCCS_NODE_SIZE": "2"}


def is_good_with(folder):
    if not os.path.exists(os.path.join(folder, "libucp.so.0")):
        print(f"there is no libucp.so.0 in {folder}")
        return False
    version = version_of(folder)
    _, info = run(folder, [os.path.join(BIN, "uccs-info")])
    if f"UCX {version} with" not in info:
        print(f"{folder} has {version}, but that is not what is loaded:\n{info}")
        return False
    failed = count = 0
    for name, words, extra in programs():
        status, said = run(folder, words, **extra)
        count += 1
        if status not in (0, 77):
            failed += 1
            print(f"FAILED with UCX {version}: {name}, status {status}\n{said[-2000:]}")
    for case in ("put", "get", "atomic", "long", "wait"):
        status, said = run(folder, launch(3, os.path.join(BIN, "shmem_broken"), case), UCCS_NODE_SIZE="2")
        count += 1
        if status == 0 or not BROKEN.search(said):
            failed += 1
            print(f"FAILED with UCX {version}: broken {case}, status {status}\n{said[-2000:]}")
    count += 1
    status, said = run_mixed(folder)
    mine = re.search(r"UCX ([\d.]+)", run(None, [os.path.join(BIN, "uccs-info")])[1]).group(1)
    if mine.split(".")[:2] != version.split(".")[:2] and (status == 0 or MIXED not in said):
        failed += 1
        print(f"FAILED: UCX {mine} with UCX {version}, status {status}\n{said[-2000:]}")
    print(f"UCX {version}: {count - failed} of {count} programs pass", flush=True)
    return failed == 0 and count > 5


def main():
    folders = [each for each in os.environ.get("TEST_UCX_LIB", "").split(":") if each]
    if not folders:
        print("SKIP TEST_UCX_LIB names no folder with another UCX")
        sys.exit(77)
    sys.exit(0 if all([is_good_with(os.path.abspath(folder)) for folder in folders]) else 1)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of uccsrun share: starting jobs, and the check that no process is left."""

import os
import signal
import socket
import subprocess
import sys
import time
import unittest

UCCSRUN, PROBE = sys.argv[1:3]
HOST = socket.gethostname()
MARK = f"uccs-launcher-test-{os.getpid()}"
SECONDS = 60  # patience; nothing here takes long


def environment(**extra):
    """Ours without settings of UCCS; the mark shows up in every process of a test's jobs."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("UCCS_", "SHMEM_", "SMA_"))}
    return {**env, **extra, "LAUNCHER_TEST_MARK": MARK}


def marked_processes():
    """Processes that carry the mark in their environment, apart from this one."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                if f"LAUNCHER_TEST_MARK={MARK}".encode() not in file.read().split(b"\0"):
                    continue
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                if file.read().rsplit(")", 1)[1].split()[0] != "Z":
                    found.append(int(entry))
        except OSError:
            pass
    return found


def eventually(condition, what):
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"never: {what}")
        time.sleep(0.005)


class LauncherTest(unittest.TestCase):
    def tearDown(self):
        left = marked_processes()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [], "processes were left")

    def run_job(self, *arguments, status=0, stdin=subprocess.DEVNULL, env=None, text=True, **more):
        result = subprocess.run([UCCSRUN, *map(str, arguments)], env=env or environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=text,
                                timeout=SECONDS, check=False,
                                **({} if "input" in more else {"stdin": stdin}), **more)
        self.assertEqual(result.returncode, status, (result.stdout[-2000:], result.stderr[-2000:]))
        return result

    def start_job(self, *arguments, **more):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, "env": environment(), **more}
        return subprocess.Popen([UCCSRUN, *map(str, arguments)], **options)

    def ecs_of(self, job, count):
        """The processes that `job` has started, once they are `count` and run their programs."""
        def children():
            with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as file:
                return [int(pid) for pid in file.read().split()]
        eventually(lambda: len(children()) == count, f"{count} ECs")
        return children()


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)

# SPDX-License-Identifier: BSD-3-Clause
"""Processes that daemons and launchers leave behind become children of the test, so that it finds
and ends them, whatever session they moved to."""

import ctypes
import os
import signal
import time

PR_SET_CHILD_SUBREAPER = 36


def adopt_strays():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children(of=None):
    with open(f"/proc/{of or os.getpid()}/task/{of or os.getpid()}/children",
              encoding="ascii") as file:
        return [int(pid) for pid in file.read().split()]


def end_strays(seconds=5):
    """Kills what is left below this process; the pids that it had to kill."""
    killed = set()
    end = time.monotonic() + seconds
    while children() and time.monotonic() < end:
        for pid in children():
            try:
                done, _ = os.waitpid(pid, os.WNOHANG)
                if not done:
                    os.kill(pid, signal.SIGKILL)
                    killed.add(pid)
            except (ChildProcessError, ProcessLookupError):
                pass
        time.sleep(0.01)
    return killed


def named(program):
    """The running processes that execute the file `program`."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.readlink(f"/proc/{entry}/exe") == os.path.realpath(program):
                found.append(int(entry))
        except OSError:
            pass
    return found


def sockets_of(pid):
    """The inodes of the sockets that a process has open."""
    found = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")
        except OSError:
            continue
        if target.startswith("socket:["):
            found.add(target[8:-1])
    return found


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])

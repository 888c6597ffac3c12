#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs job.c: exit statuses of jobs, and that errors name the call, the argument and the range.

usage: ends.py UCCSRUN PROGRAM [--between-nodes]
"""
import re
import subprocess
import sys

# arguments, numbers of nodes, exit status (None: any but 0), patterns that the output has
CASES = [
    (["ok"], (1, 3), 0, []),
    (["all", "0"], (1, 4), 0, ["node 0 unflushed"]),
    (["all", "7"], (1, 4), 7, ["node 0 unflushed"]),
    (["return", "0"], (1, 3), 0, []),
    (["return-late"], (2, 4), 0, []),
    (["return", "3"], (1, 3), 3, []),
    (["one", "5"], (1, 4), 5, []),
    (["one", "0"], (2,), 0, []),
    (["one-in-barrier", "6"], (3,), 6, []),
    (["signal", "4"], (3,), 4, ["node was told\nnode was told"]),
    (["exit", "9"], (1, 3), 9, []),
    (["abort"], (2,), None, []),
    (["exit-before-init", "3"], (1,), 3, []),
    (["notify-twice"], (2,), None, ["gasnet_barrier_notify: .*already.*gasnet_barrier_wait"]),
    (["wait-alone"], (2,), None, ["gasnet_barrier_wait: .*has not called gasnet_barrier_notify"]),
    (["put-node"], (2,), None, ["gasnet_put_val: there is no node 2: .*0 to 1"]),
    (["put-outside"], (2,), None, ["gasnet_put_val: 1 bytes at 0x[0-9a-f]+ .*segment of node 0.*4194304"]),
    (["get-beyond"], (2,), None, ["gasnet_get: 8 bytes at 0x[0-9a-f]+ .*segment of node 0"]),
    (["value-size"], (1,), None, ["gasnet_put_val: a value of 9 bytes: 1 to 8"]),
    (["no-handler"], (2,), None, ["active message to handler 129, which is not in the table"]),
    (["region-twice"], (1,), None, ["gasnet_begin_nbi_accessregion: .*do not nest"]),
    (["region-end"], (1,), None, ["gasnet_end_nbi_accessregion: .*no access region"]),
    (["lock-twice"], (1,), None, ["gasnet_hsl_lock: this thread holds"]),
    (["unlock"], (1,), None, ["gasnet_hsl_unlock: this thread does not hold"]),
]

# Between nodes the same things end a job; these are the ways that messages have a part in.
BETWEEN_NODES = [(arguments, (max(nodes),), *rest) for arguments, nodes, *rest in CASES
                 if arguments[0] in ("all", "return", "return-late", "one", "one-in-barrier", "signal", "exit")]


def run(launcher: str, program: str, case: tuple, nodes: int) -> list[str]:
    arguments, _, wanted, patterns = case
    job = subprocess.run([launcher, "-n", str(nodes), "--timeout", "30", program, *arguments], text=True,
                         capture_output=True, timeout=90)
    output = job.stdout + job.stderr
    name = f"{' '.join(arguments)} on {nodes} nodes"
    found = []
    if job.returncode != wanted if wanted is not None else job.returncode in (0, 124):
        found.append(f"{name}: exit status {job.returncode}, should be "
                     f"{'an error' if wanted is None else wanted}")
    found += [f"{name}: no '{p}' in the output" for p in patterns if not re.search(p, output)]
    return [f"{line}\n{output}" for line in found]


def main() -> int:
    cases = BETWEEN_NODES if "--between-nodes" in sys.argv else CASES
    found = [line for case in cases for nodes in case[1]
             for line in run(sys.argv[1], sys.argv[2], case, nodes)]
    print("\n".join(found) if found else f"{len(cases)} ways to end a job do what they should")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

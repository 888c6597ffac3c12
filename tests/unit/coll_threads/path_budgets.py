#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the instructions of short collectives of two members with callgrind.

usage: path_budgets.py PROBE
The waiting is not in them: the other member's signals are there. Seconds do not repeat on a loaded
machine, these numbers do.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CALLS = 1000
BUDGETS = {
    "barrier": 70,
    "broadcast 8, root": 165,
    "broadcast 8, other": 130,
    "allreduce 8": 255,
    "scan 8": 235,
    "allgather 8": 270,
    "alltoall 8": 320,
}


def count(probe: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no",
                        f"--callgrind-out-file={folder}/out", probe], check=True, timeout=300)
        found = {}
        for path in pathlib.Path(folder).iterdir():
            text = path.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
            total = re.search(r"^(?:summary|totals): (\d+)", text, re.M)
            if name and total:
                found[name[1]] = int(total[1]) / CALLS
        nothing = found.pop("nothing")
        return {name: total - nothing for name, total in found.items()}


def main() -> int:
    if not shutil.which("valgrind"):
        print("SKIP: valgrind is not installed")
        return 77
    found = count(sys.argv[1])
    failed = False
    for name, limit in BUDGETS.items():
        instructions = found.get(name)
        is_good = instructions is not None and instructions <= limit
        failed |= not is_good
        shown = "not measured" if instructions is None else f"{instructions:6.1f}"
        print(f"{name:20} {shown} of {limit:3} instructions{'' if is_good else '   OVER BUDGET'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

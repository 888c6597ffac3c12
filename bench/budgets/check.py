#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the instructions of hot paths with callgrind and compares them with budgets.tsv.

usage: check.py BIN_DIR   (the folder with oshrun and the probes)
Instruction counts repeat on a loaded machine where seconds do not, so this is what tests gate on.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CALLS = 1000


def read_budgets() -> dict[str, int]:
    rows = [line.split("\t") for line in (HERE / "budgets.tsv").read_text().splitlines()
            if line and not line.startswith("#")]
    return {name: int(limit) for name, limit in rows}


def count(bin_dir: pathlib.Path, probe: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, SHMEM_SYMMETRIC_SIZE="16M", UCCS_RTE="auto")
        command = [str(bin_dir / "oshrun"), "-n", "2", "--timeout", "240", "valgrind", "-q",
                   "--tool=callgrind", "--collect-atstart=no",
                   f"--callgrind-out-file={folder}/out.%p", str(bin_dir / probe)]
        subprocess.run(command, check=True, env=environment, timeout=300)
        totals = {}
        for path in pathlib.Path(folder).iterdir():
            text = path.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
            total = re.search(r"^(?:summary|totals): (\d+)", text, re.M)
            if name and total:
                totals[name[1]] = int(total[1]) / CALLS
    loop = totals.pop("loop")
    return {name: total - loop for name, total in totals.items()}


def main() -> int:
    if not shutil.which("valgrind"):
        print("SKIP: valgrind is not installed")
        return 77
    bin_dir = pathlib.Path(sys.argv[1]).resolve()
    budgets = read_budgets()
    found = (count(bin_dir, "budget_probe") | count(bin_dir, "budget_probe_inline") |
             count(bin_dir, "budget_probe_gasnet"))
    missing = budgets.keys() - found.keys()
    over = [name for name in budgets if found.get(name, 0) > budgets[name]]
    for name, limit in budgets.items():
        print(f"{name:28} {found.get(name, float('nan')):6.1f} of {limit:3} instructions"
              f"{'   OVER BUDGET' if name in over else ''}")
    if missing:
        print("not measured:", ", ".join(sorted(missing)))
    return 1 if over or missing else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the instructions that an operation takes with 1, 2 and 4 threads and compares them.

usage: check_threads.py BIN_DIR
A thread beside others must execute what a thread alone does, but for a few per cent of luck (which
slot was taken first).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

THREADS = (1, 2, 4)
TOLERANCE = 1.05  # and two instructions


def count(bin_dir: pathlib.Path) -> dict[tuple[str, int], float]:
    with tempfile.TemporaryDirectory() as folder:
        command = [str(bin_dir / "oshrun"), "-n", "2", "--timeout", "240", "valgrind", "-q", "--tool=callgrind",
                   "--collect-atstart=no", f"--callgrind-out-file={folder}/out.%p", str(bin_dir / "threads_probe")]
        subprocess.run(command, check=True, timeout=300, env=dict(os.environ, SHMEM_SYMMETRIC_SIZE="16M"))
        found = {}
        for path in pathlib.Path(folder).iterdir():
            text = path.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (.*) (\d+) (\d+)$", text, re.M)
            total = re.search(r"^(?:summary|totals): (\d+)", text, re.M)
            if name and total:
                found[name[1], int(name[2])] = int(total[1]) / int(name[2]) / int(name[3])
    return found


def main() -> int:
    if not shutil.which("valgrind"):
        print("SKIP: valgrind is not installed")
        return 77
    found = count(pathlib.Path(sys.argv[1]).resolve())
    status = 0
    print(f"{'instructions':12}" + "".join(f"{f't = {t}':>9}" for t in THREADS))
    for name in dict.fromkeys(name for name, _ in sorted(found)):
        if name == "loop":
            continue
        figures = [found[name, t] - found["loop", t] for t in THREADS]
        is_good = max(figures[1:]) <= figures[0] * TOLERANCE + 2
        status |= not is_good
        print(f"{name:12}" + "".join(f"{figure:9.1f}" for figure in figures) + ("" if is_good else "   GROWS"))
    if len(found) != 7 * len(THREADS):
        print("not all was measured:", sorted(found))
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())

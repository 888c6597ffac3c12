#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs ends.c: exit statuses of jobs, and that errors name the routine, the argument and the range.

usage: ends.py OSHRUN PROGRAM
"""
import os
import re
import subprocess
import sys

# arguments, numbers of PEs, exit status (None: any but 0), patterns that the output has. Arguments with
# a = are settings.
CASES = [
    (["SHMEM_VERSION=", "ok"], (1, 3), 0, [r"\AUCCS .*OpenSHMEM 1\.6\n\Z"]),
    (["SMA_INFO=0", "ok"], (2,), 0, [r"SHMEM_SYMMETRIC_SIZE=auto"]),
    (["SHMEM_SYMMETRIC_SIZE=2e9", "ok"], (1, 2), None, ["SHMEM_SYMMETRIC_SIZE=2e9 is not a size"]),
    (["SMA_SYMMETRIC_SIZE=-1", "ok"], (2,), None, ["SHMEM_SYMMETRIC_SIZE=-1 is not a size"]),
    (["SHMEM_SYMMETRIC_SIZE=.5MB", "ok"], (2,), 0, []),
    (["SHMEM_SYMMETRIC_SIZE=0", "ok"], (2,), 0, []),
    (["SHMEM_SYMMETRIC_SIZE=0", "exhaust"], (2,), 0, ["SHMEM_SYMMETRIC_SIZE"]),
    (["ok"], (1, 3), 0, []),
    (["SHMEM_DEBUG=1", "ok"], (1, 3), 0, [r"\Auccs: check mode is on \(SHMEM_DEBUG or UCCS_CHECK\).*\n\Z"]),
    (["SMA_DEBUG=", "ok"], (2,), 0, ["check mode is on"]),
    (["SHMEM_DEBUG=0", "ok"], (1, 3), 0, []),
    (["SHMEM_DEBUG=off", "ok"], (2,), 0, []),
    (["global-exit", "0"], (1, 2, 4), 0, []),
    (["global-exit", "7"], (1, 2, 4), 7, []),
    (["all-global-exit", "5"], (1, 4), 5, []),
    (["all-global-exit", "0"], (1, 4), 0, []),
    (["exit-before-init", "3"], (1,), 3, []),
    (["no-finalize"], (1, 2, 4), 0, []),
    (["ok", "9"], (1, 3), 9, []),
    (["exit", "4"], (2, 4), 4, []),
    (["abort"], (1, 2, 4), None, ["PE|EC"]),
    (["put-before-init"], (1,), None, ["shmem_long_p.*before"]),
    (["exhaust"], (1, 2), 0, ["SHMEM_SYMMETRIC_SIZE"]),
    (["put-pe"], (1, 2), None, ["shmem_long_put: .*PE [12].*0 to [01]"]),
    (["p-negative-pe"], (1, 2), None, ["shmem_long_p: .*PE -1"]),
    (["p-stack"], (1, 2), None, ["shmem_long_p: .*0x[0-9a-f]+.*not symmetric"]),
    (["get-private"], (2,), None, ["shmem_getmem: .*not symmetric"]),
    (["atomic-pe"], (2,), None, ["shmem_long_atomic_inc: .*PE 1000000"]),
    (["atomic-null"], (2,), None, ["shmem_int_atomic_fetch_add: .*not symmetric"]),
    (["ctx-pe"], (2, 3), None, ["shmem_ctx_long_p: .*PE 1 .*team.*0 to 0"]),
    (["ctx-invalid"], (2,), None, ["shmem_ctx_int_g: .*SHMEM_CTX_INVALID"]),
    (["signal-op"], (2,), None, ["shmem_long_put_signal: sig_op is 99"]),
    (["cmp"], (2,), None, ["shmem_long_wait_until: cmp is 77"]),
    (["free-twice"], (1, 2), None, ["shmem_free: .*no block"]),
    (["free-stack"], (1, 2), None, ["shmem_free: .*no block"]),
    (["root"], (2,), None, ["shmem_long_broadcast: PE_root is 2: .*0 to 1"]),
    (["lock-stack"], (2,), None, ["shmem_set_lock: .*not symmetric"]),
    (["align"], (2,), None, ["shmem_align: alignment is 24"]),
    (["active-set"], (2,), None, ["shmem_barrier: .*PE_size 3.*0 to 1"]),
    (["packed-length"], (1, 3), None, ["shmemx_alltoallv_packed: PE [012] gets (8|24) bytes.*target_len"]),
    (["packed-team"], (2,), None, ["shmemx_team_alltoallv_packed: .*SHMEM_TEAM_INVALID"]),
    (["heap-index"], (2,), None, ["shmemx_malloc_by_index: there is no heap 5"]),
    (["heap-name"], (2,), None, ["shmemx_calloc_by_name: there is no heap named \"nowhere\""]),
    (["space-free-inside"], (2,), None, ["shmem_free: .*not the start of a block"]),
    (["space-free-twice"], (2,), None, ["shmem_free: .*no block"]),
    (["space-align"], (2,), None, ["shmemx_space_align: alignment is 3"]),
    (["space-destroy-twice"], (1, 2), None, ["shmemx_space_destroy: .*destroyed already"]),
    (["timeout-cmp"], (2,), None, ["shmemx_long_wait_until_timeout: cmp is 0"]),
    (["nb-stack"], (2,), None, ["shmemx_long_put_nb: .*not symmetric"]),
    (["nb-pe"], (2,), None, ["shmemx_long_inc_nb: .*PE 2.*0 to 1"]),
    (["counting-pe"], (1, 2), None, ["shmem_ctx_long_p: .*PE [12].*0 to [01]"]),
]


def run(oshrun: str, program: str, case: tuple, pes: int) -> list[str]:
    arguments, _, wanted, patterns = case
    settings = dict(a.split("=", 1) for a in arguments if "=" in a)
    words = [a for a in arguments if "=" not in a]
    job = subprocess.run([oshrun, "-n", str(pes), "--timeout", "30", program, *words], text=True,
                         capture_output=True, timeout=90, env=dict(os.environ, **settings))
    output = job.stdout + job.stderr
    name = f"{' '.join(arguments)} on {pes} PEs"
    found = []
    if job.returncode != wanted if wanted is not None else job.returncode == 0:
        found.append(f"{name}: exit status {job.returncode}, should be "
                     f"{'an error' if wanted is None else wanted}")
    found += [f"{name}: no '{p}' in the output" for p in patterns if not re.search(p, output)]
    if wanted == 0 and not patterns and job.stderr:
        found.append(f"{name}: a job that succeeds has nothing to say")
    if "global-exit" in arguments and f"PE {pes - 1} unflushed" not in job.stdout:
        found.append(f"{name}: what was written before is lost")
    if "exhaust" in arguments and len(re.findall("exhausted", job.stderr)) != 1:
        found.append(f"{name}: exhaustion is to be told once")
    return [f"{line}\n{job.stderr}" for line in found]


def main() -> int:
    found = [line for case in CASES for pes in case[1]
             for line in run(sys.argv[1], sys.argv[2], case, pes)]
    print("\n".join(found) if found else f"{len(CASES)} ways to end a job do what they should")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

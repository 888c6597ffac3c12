#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs misuse_memory.c and misuse_calls.c: each wrong call ends the job at once, with an error status and
a line that names the routine, the argument, its value and what is legal; what is right is left alone.

usage: misuse.py OSHRUN PROGRAM GROUP
"""
import os
import re
import subprocess
import sys

P = r"0x[0-9a-f]+"
ENDS = rf"reach past the end of its heap block: the block has 64 bytes at {P}, "
FREED = rf"shmem_free freed the block of 64 bytes at {P} that it is in"
OVERLAP = r"overlap: arguments of which one is written must not share memory"
STATIC = "the symmetric heap .* and globals of the executable are; the stack"
MATCH = "collectives do not match on a team of all 2 PEs: PE [01] is in {0}, and PE [01] in {0}"
BOTH = "collectives do not match: PE [01] is in {0} on the team of all 2 PEs, and PE [01] in {0} on another"
SAME = "it must be the same on all members"
BEFORE = "called before the library was initialised: shmem_init"
AFTER = "called after the library was finalised"

# Groups of cases: arguments, what stderr has. None: the job succeeds in silence; WARNS and a text: it
# succeeds with this warning. Groups with a name that starts with `plain` run without check mode.
WARNS = "warning: "
GROUPS = {
    "memory": [
        ("put-past-heap", rf"shmem_long_put: 72 bytes at dest, {P}, {ENDS}64 from there on"),
        ("get-past-heap", rf"shmem_getmem: 5 bytes at source, {P}, {ENDS}4 from there on"),
        ("source-past-heap", rf"shmem_putmem: 65 bytes at source, {P}, {ENDS}"),
        ("put-past-static", "shmem_putmem: 67108864 bytes at dest, .* end of the executable's static data"),
        ("put-negative", "shmem_long_put: the number of elements at dest makes more bytes than"),
        ("put-wraps", "shmem_long_put: the number of elements at dest makes more bytes than"),
        ("put-null-dest", "shmem_long_put: dest is NULL, which is legal only for no bytes at all: here are 8"),
        ("put-null-source", "shmem_putmem: source is NULL, .* here are 4"),
        ("put-nothing", None),
        ("put-stack", rf"shmem_long_put: dest is {P}, which is not symmetric: {STATIC}"),
        ("get-freed", rf"shmem_long_get: source is {P}, which is no longer valid: {FREED}"),
        ("p-freed", rf"shmem_long_p: dest is {P}, which is no longer valid: {FREED}"),
        ("source-freed", rf"shmem_long_put: source is {P}, which is no longer valid: {FREED}"),
        ("atomic-freed", f"shmem_long_atomic_inc: dest is .* no longer valid: {FREED}"),
        ("wild", "shmem_long_p: dest is .* in the symmetric heap, but in no block"),
        ("ptr-as-dest", rf"shmem_long_p: dest is {P}, which is not symmetric"),
        ("align-small", "shmem_align: alignment is 4: multiples of 8 are legal"),
        ("free-twice", rf"shmem_free: {P} is no block any more: {FREED}"),
        ("realloc-freed", rf"shmem_realloc: {P} is no block any more: {FREED}"),
    ],
    "overlap": [
        ("overlap-put", rf"shmem_long_put: dest \(32 bytes at {P}\) and source \(32 bytes at {P}\) {OVERLAP}"),
        ("overlap-get", rf"shmem_long_get: source \(24 bytes at {P}\) and dest \(24 bytes at {P}\) {OVERLAP}"),
        ("overlap-alias", rf"shmem_long_put: dest .* and source .* {OVERLAP}"),
        ("same-put", WARNS + "shmem_long_put: dest and source are the same 32 bytes"),
        ("unaligned-p", rf"shmem_long_p: dest is {P}, which is not aligned: it must be a multiple of 8"),
        ("unaligned-atomic", "shmem_int_atomic_inc: .* not aligned: it must be a multiple of 4"),
        ("stride-zero", "shmem_long_iput: dst is 0: a stride .* at least 1"),
        ("stride-short", "shmem_long_ibget: sst is 1: a stride .* at least 2"),
        ("stride-past", f"shmem_long_iput: 80 bytes at dest, .* {ENDS}"),
        ("overrun", rf"the 64 bytes at {P} of the symmetric heap were overrun"),
    ],
    "waits": [
        ("wait-stack", f"shmem_long_wait_until: ivar is .* not symmetric: {STATIC}"),
        ("wait-freed", f"shmem_long_wait_until: ivar is .* no longer valid: {FREED}"),
        ("wait-null", "shmem_int_wait_until: ivar is NULL"),
        ("test-stack", "shmem_long_test: ivar is .* not symmetric"),
        ("wait-some-past", f"shmem_long_wait_until_some: 72 bytes at ivars, .* {ENDS}"),
        ("signal-stack", "shmem_long_put_signal: sig_addr is .* not symmetric"),
        ("signal-overlap", f"shmem_putmem_signal: sig_addr .* and dest .* {OVERLAP}"),
        ("signal-fetch-stack", "shmem_signal_fetch: sig_addr is .* not symmetric"),
        ("signal-op", "shmem_long_put_signal: sig_op is 77: SHMEM_SIGNAL_SET"),
        ("lock-unheld", rf"shmem_clear_lock: this PE does not hold the lock at {P}"),
        ("lock-twice", rf"shmem_set_lock: this PE holds the lock at {P} already"),
        ("lock-tested-twice", rf"shmem_test_lock: this PE holds the lock at {P} already"),
        ("lock-stack", "shmem_set_lock: lock is .* not symmetric"),
        ("lock-kept", WARNS + "shmem_finalize: this PE still holds the lock"),
        ("nbi-pending", WARNS + "shmem_finalize: 1 non-blocking operation on the default.*shmem_long_put_nbi"),
        ("nbi-of-context", WARNS + "shmem_finalize: 1 non-blocking .* on a context that was not destroyed"),
        ("nbi-done", None),
    ],
    "handles": [
        ("ctx-destroyed", "shmem_ctx_long_p: the context .* does not exist any more: shmem_ctx_destroy"),
        ("ctx-destroyed-quiet", "shmem_ctx_quiet: the context .* does not exist any more"),
        ("ctx-destroyed-twice", "shmem_ctx_destroy: the context .* does not exist any more"),
        ("ctx-wild", "shmem_ctx_long_p: 0x1230 is no context: SHMEM_CTX_DEFAULT and what"),
        ("ctx-wild-odd", "shmem_ctx_long_g: 0x1235 is no context"),
        ("ctx-default", "shmem_ctx_destroy: SHMEM_CTX_DEFAULT cannot be destroyed"),
        ("ctx-pe", "shmem_ctx_long_p: there is no PE 1 in the context's team: its PEs are numbered 0 to 0"),
        ("ctx-of-ended-team", "shmem_ctx_long_p: the context .* does not exist any more: .* end of its team"),
        ("pe-quiet-pe", "shmem_pe_quiet: there is no PE 2: PEs are numbered 0 to 1"),
        ("team-destroyed-rank", "shmem_team_my_pe: the team .* does not exist any more: shmem_team_destroy"),
        ("team-destroyed-sync", "shmem_team_sync: the team .* does not exist any more"),
        ("team-destroyed-twice", "shmem_team_destroy: the team .* does not exist any more"),
        ("team-wild", "shmem_team_n_pes: 0x1230 is no team: SHMEM_TEAM_WORLD"),
        ("team-invalid", "shmem_long_sum_reduce: the team is SHMEM_TEAM_INVALID: only members"),
        ("team-world", "shmem_team_destroy: predefined teams cannot be destroyed"),
        ("team-config", "shmem_team_split_strided: config is NULL, .* mask of 0"),
    ],
    "threads": [
        ("thread-other single", "shmem_long_p: called by another thread .* level is SHMEM_THREAD_SINGLE"),
        ("thread-other funneled", "shmem_long_p: called by another thread .* level is SHMEM_THREAD_FUNNELED"),
        ("thread-other serialized", None),
        ("thread-other multiple", None),
        ("thread-both serialized", "called while another thread is inside (shmem_long_|another routine).*SHMEM_THREAD_SERIALIZED"),
        ("thread-private multiple", "shmem_ctx_long_p: the context was created with SHMEM_CTX_PRIVATE by another"),
        ("thread-context-in-turn multiple", None),
        ("thread-lock multiple", rf"shmem_set_lock: another thread of this PE is in a call for the lock at {P}"),
        ("thread-collective multiple", "shmem_sync_all: another thread of this PE is inside a collective"),
        ("thread-finalize multiple", "shmem_finalize: called by another thread than the one that called"),
    ],
    "collectives": [
        ("coll-name", MATCH.format("shmem_long_f?collect")),
        ("coll-type", MATCH.format("shmem_(long|int)_sum_reduce")),
        ("coll-count", f"shmem_long_broadcast: nelems is [12] on PE [01], and [12] on PE [01]: {SAME}"),
        ("coll-root", f"shmem_long_broadcast: PE_root is [01] on PE [01], and [01] on PE [01]: {SAME}"),
        ("coll-team", BOTH.format("shmem_(barrier_all|team_sync)")),
        ("coll-set", BOTH.format("shmem_(barrier_all|barrier)")),
        ("coll-malloc", f"shmem_malloc: size is (64|72) on PE [01], and (64|72) on PE [01]: {SAME}"),
        ("coll-free", f"shmem_free: ptr, as distance from the start of the heap, is .*: {SAME}"),
        ("coll-finalize", MATCH.format("shmem_(barrier_all|finalize)")),
        ("coll-exit", MATCH.format("shmem_(barrier_all|finalize)")),
        ("coll-split", f"shmem_team_split_strided: start is [01] on PE [01], and [01] on PE [01]: {SAME}"),
        ("coll-overlap", f"shmem_long_fcollect: dest .* and source .* {OVERLAP}"),
        ("coll-reduce-overlap", f"shmem_long_max_reduce: dest .* and source .* {OVERLAP}"),
        ("coll-past", "shmem_long_fcollect: 16 bytes at dest, .* the block has 8 bytes"),
        ("coll-collect-past", "shmem_long_collect: 24 bytes at dest, .* the block has 8 bytes"),
        ("coll-stack", "shmem_long_sum_reduce: source is .* not symmetric"),
        ("coll-place", WARNS + "shmem_long_sum_reduce: source is another symmetric object, .* than on PE [01]"),
        ("coll-stride", "shmem_long_alltoalls: sst is 0: a stride .* at least 1"),
        ("coll-right", None),
    ],
    "between-nodes": [  # whoever differs shares no memory with the others
        ("coll-name", MATCH.format("shmem_long_f?collect")),
        ("coll-count", f"shmem_long_broadcast: nelems is [12] on PE [01], and [12] on PE [01]: {SAME}"),
        ("coll-root", f"shmem_long_broadcast: PE_root is [01] on PE [01], and [01] on PE [01]: {SAME}"),
        ("coll-team", BOTH.format("shmem_(barrier_all|team_sync)")),
        ("coll-malloc", f"shmem_malloc: size is (64|72) on PE [01], and (64|72) on PE [01]: {SAME}"),
        ("coll-finalize", MATCH.format("shmem_(barrier_all|finalize)")),
        ("coll-collect-past", "shmem_long_collect: 24 bytes at dest, .* the block has 8 bytes"),
        ("coll-right", None),
    ],
    "inline": [  # memory, the forms that are compiled into the program
        ("p-freed", f"shmem_long_p: dest is .* no longer valid: {FREED}"),
        ("put-stack", "shmem_long_put: dest is .* not symmetric"),
        ("atomic-freed", f"shmem_long_atomic_inc: .* no longer valid: {FREED}"),
        ("nbi-done", None),
    ],
    "inline-handles": [
        ("thread-other single", "shmem_long_p: called by another thread"),
        ("ctx-destroyed", "shmem_ctx_long_p: the context .* does not exist any more"),
    ],
    "plain": [
        *((f"{name} {when}", f"{routine}: {text}")
          for when, text in (("before", BEFORE), ("after", AFTER))
          for name, routine in (("p", "shmem_long_p"), ("put", "shmem_long_put"), ("malloc", "shmem_malloc"),
                                ("inc", "shmem_long_atomic_inc"), ("reduce", "shmem_long_sum_reduce"),
                                ("wait", "shmem_long_wait_until"), ("lock", "shmem_set_lock"))),
        ("barrier before", f"shmem_barrier_all: {BEFORE}"),
        ("free after", f"shmem_free: {AFTER}"),
        ("quiet before", f"shmem_quiet: {BEFORE}"),
        ("team after", f"shmem_team_my_pe: {AFTER}"),
        ("ctx before", f"shmem_ctx_create: {BEFORE}"),
        ("my_pe before", f"shmem_my_pe: {BEFORE}"),
        ("my_pe after", None),
        ("coll-negative", "shmem_long_sum_to_all: nreduce is -1: it is a number of elements, 0 or more"),
    ],
    "plain-inline": [
        ("p before", f"shmem_long_p: {BEFORE}"),
        ("g after", f"shmem_long_g: {AFTER}"),
        ("inc before", f"shmem_long_atomic_inc: {BEFORE}"),
    ],
    "plain-heap": [
        ("free-twice", rf"shmem_free: {P} is no block of the symmetric heap: it was never .* freed already"),
        ("free-inside", rf"shmem_free: {P} is not the start of a block .*: it is in the block of 64 bytes at {P}"),
        ("free-static", rf"shmem_free: {P} is no block of the symmetric heap"),
        ("free-null", None),
        ("malloc-negative", "18446744073709551615 bytes of the symmetric heap were asked for, which no machine"),
    ],
}
SUCCEED = {"malloc-negative"}  # with an error line


def run(oshrun: str, program: str, name: str, wanted: str | None, is_checked: bool) -> list[str]:
    environment = dict(os.environ, UCCS_CHECK="1" if is_checked else "0")
    job = subprocess.run([oshrun, "-n", "2", "--timeout", "30", program, *name.split()], text=True,
                         capture_output=True, timeout=60, env=environment)
    said = "\n".join(line for line in job.stderr.splitlines() if "check mode is on" not in line)
    succeeds = wanted is None or wanted.startswith(WARNS) or name in SUCCEED
    found = []
    if is_checked and job.stderr.count("check mode is on") != 1:
        found.append("check mode is to be announced once")
    if succeeds != (job.returncode == 0):
        found.append(f"exit status {job.returncode}")
    if wanted is None and said:
        found.append("what is right has nothing to say")
    if wanted is not None and not re.search(wanted, said):
        found.append(f"no '{wanted}'")
    return [f"{name}: {line}\n{said}" for line in found]


def main() -> int:
    oshrun, program, group = sys.argv[1:]
    found = [line for name, wanted in GROUPS[group]
             for line in run(oshrun, program, name, wanted, not group.startswith("plain"))]
    print("\n".join(found) if found else f"{len(GROUPS[group])} calls end as they should")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

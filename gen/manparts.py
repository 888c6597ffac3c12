# SPDX-License-Identifier: BSD-3-Clause
"""What the writers of manual pages share: parameters that mean the same everywhere, examples, marking up."""
import re
from dataclasses import dataclass, field

from generate import Prototype

# Pattern of a section's title -> program in gen/examples
EXAMPLES = [("Start", "setup"), ("Symmetric heap", "memory"), ("More heaps", "memory"), ("Teams", "teams"),
            ("Contexts", "contexts"), ("Remote memory", "rma"), ("Atomic", "atomics"), ("Signals", "signals"),
            ("Collectives", "collectives"), ("Waiting", "waiting"), ("Ordering", "waiting"), ("Locks", "locks"),
            ("Deprecated: collectives", "active_sets"), ("Deprecated", "atomics"),
            ("Asking|Completion|Puts|Exchange", "extensions")]

PARAMETERS = {
    "dest": "where the result goes. Symmetric, but for the routines that get",
    "source": "where the data comes from. Symmetric for the routines that get and for collectives",
    "nelems": "the number of elements; of mem routines, of bytes. May be 0",
    "nreduce": "the number of elements. May be 0",
    "pe": "the number of the PE: in the context's team, or the world's without a context",
    "ctx": "the context of the operation. The routines without it use SHMEM_CTX_DEFAULT",
    "team": "the team; for those who are no members there is nothing to call",
    "value": "the operand",
    "cond": "what the value is compared with",
    "fetch": "gets the value before, once shmem_quiet has returned; any memory of the caller",
    "dst": "the distance of elements, or blocks, in dest: in elements, at least 1",
    "sst": "the distance of elements, or blocks, in source: in elements, at least 1",
    "bsize": "the number of elements of a block",
    "nblocks": "the number of blocks",
    "sig_addr": "the symmetric word of the signal",
    "signal": "what the signal is set to, or what is added to it",
    "sig_op": "SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD",
    "cmp": "SHMEM_CMP_EQ, NE, LT, LE, GT or GE: how the variable compares with the value",
    "cmp_value": "the value to compare with",
    "cmp_values": "the values to compare with, one for each entry",
    "ivar": "the symmetric variable of this PE",
    "ivars": "the symmetric variables of this PE",
    "indices": "room for nelems indices; gets those of the entries that compare true",
    "status": "NULL, or an array of nelems: entries that are not 0 are excluded",
    "PE_root": "the number in the team or set of the PE whose data is sent",
    "PE_start": "the first PE of the active set",
    "logPE_stride": "the logarithm to base 2 of the distance of PEs in the set",
    "PE_size": "the number of PEs in the set",
    "pSync": "symmetric work array. Not used; may hold anything",
    "pWrk": "symmetric work array. Not used; may hold anything",
    "size": "bytes",
    "count": "the number of elements",
    "alignment": "a power of two and multiple of sizeof(void*)",
    "ptr": "the address of a block of the symmetric heap, or NULL",
    "hints": "SHMEM_MALLOC_*, ORed, or 0",
    "lock": "the symmetric lock, 0 on all PEs at first",
    "requested": "SHMEM_THREAD_SINGLE, FUNNELED, SERIALIZED or MULTIPLE",
    "provided": "gets the thread level",
    "initialized": "gets 1 or 0",
    "addr": "any address",
    "major": "gets the major version",
    "minor": "gets the minor version",
    "name": "room for SHMEM_MAX_NAME_LEN bytes",
    "parent_team": "the team whose members are split",
    "new_team": "gets the team",
    "src_team": "the team in which src_pe is numbered",
    "src_pe": "the number to translate",
    "dest_team": "the team in which the result is numbered",
    "shmem_team_split_strided.size": "the number of members",
    "start": "the first member, numbered in the parent",
    "stride": "the distance of members",
    "config": "what is wished for, or NULL if config_mask is 0",
    "config_mask": "which fields of config count: SHMEM_TEAM_NUM_CONTEXTS, SHMEM_CTX_SESSION_TOTAL_OPS, or 0",
    "xrange": "the length of a row",
    "xaxis_config": "as config, for the rows",
    "xaxis_mask": "as config_mask, for the rows",
    "xaxis_team": "gets the caller's row",
    "yaxis_config": "as config, for the columns",
    "yaxis_mask": "as config_mask, for the columns",
    "yaxis_team": "gets the caller's column",
    "options": "the options of the description, ORed, or 0",
    "target_pes": "the PEs, numbered in the context's team",
    "npes": "how many PEs are listed; start_pes ignores it",
    "level": "whatever the tool takes",
    "t_offsets": "where in dest the data of each member goes, in bytes",
    "t_sizes": "gets the number of bytes that came from each member",
    "s_offsets": "where in source the data for each member is, in bytes",
    "s_sizes": "the number of bytes for each member",
    "color": "members of one color get into one team",
    "key": "the order in the team",
    "space": "the space",
    "uccs.dest": "where the data goes",
    "uccs.source": "where the data comes from",
    "uccs.count": "the number of entries",
    "uccs.size": "the number of members",
    "endpoint": "the target",
    "region": "the memory at the target",
    "bytes": "the number of bytes",
    "request_out": "gets the request, UCCS_REQUEST_NULL where there is nothing to wait for; NULL: completed by uccs_flush",
    "request": "the request; UCCS_REQUEST_NULL counts as complete",
    "requests": "the requests; those found complete become UCCS_REQUEST_NULL",
    "context": "the context",
    "group": "the group",
    "lane": "the inbox",
    "tag": "what receiver and sender agree on",
    "message": "the message that the callback got",
    "id": "the number of the handler",
    "data": "the bytes",
    "header": "bytes that the callback sees",
    "header_bytes": "the number of bytes of the header",
    "payload": "the data",
    "result_out": "gets the value before",
    "target": "the word at the target",
    "operand": "the operand",
    "expected": "what the word is compared with",
    "root": "the member whose data is sent",
    "type": "the type of the elements",
    "op": "the operation",
    "ec": "the number of the EC",
    "index_out": "gets which",
    "blob": "the bytes of uccs_region_export",
    "rank": "the number in the group",
}


@dataclass
class Page:
    name: str
    section: str
    header: str
    prototypes: list[Prototype]
    description: list[str]
    parameters: dict[str, str]
    returns: list[str]
    notes: list[str]
    standard: str = ""
    example: str = ""
    overview: str = "openshmem"
    instances: list[str] = field(default_factory=list)

    @property
    def brief(self) -> str:
        text = re.split(r"(?<!\.)[.;:](?:\s|$)", self.description[0] if self.description else self.section)[0]
        if text.count("(") > text.count(")"):
            text = text[:text.rindex("(")].rstrip()
        return text.replace("`", "")


def sentences(text: str) -> list[str]:
    return [s for s in re.split(r"(?<=[.!?])\s+(?=[A-Z0-9`*])", " ".join(text.split())) if s]


def escape(text: str, is_code: bool = False) -> str:
    """For troff: `x` becomes x in italics; no line is taken for a request."""
    text = text.replace("\\", "\\e")
    if is_code:
        text = text.replace("-", "\\-")
    else:
        text = re.sub(r"(^|[\s(`'\"/,])(--?[a-zA-Z])", lambda m: m[1] + m[2].replace("-", "\\-"), text)
        text = re.sub(r"`([^`]*)`", r"\\fI\1\\fR", text).replace("**", "")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def title_line(name: str, section: int) -> str:
    return f'.TH {name.upper()} {section} "" "UCCS" "UCCS manual"\n'

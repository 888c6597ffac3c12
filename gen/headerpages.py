# SPDX-License-Identifier: BSD-3-Clause
"""Manual pages of the substrate's own API, read from the documented headers in include/uccs."""
import re

import generate
from generate import INCLUDE
from manparts import Page, sentences

# In the order of the overview. direct.h and shmem_inline.h are for the insides of other headers.
HEADERS = ("status", "info", "context", "region", "request", "rma", "atomic", "message", "am", "group", "rte")
HEADED = re.compile(r"^(Collective|Local|Threads?|Cost|Progress|Completion|Legal state|Source)\b")
PARAMETER = re.compile(r"^(?:- )?((?:`\w+`(?:, )?)+)(?: \([^)]*\))?: (.*)")

POSTED = ("UCCS_OK: complete. UCCS_IN_PROGRESS: started, `*request_out` names it. UCCS_AGAIN: nothing happened as a "
          "resource is full; make progress, then call again. Negative: an error, and nothing happened.")


def clean(lines: list[str]) -> str:
    """A comment as running text; a bullet begins a sentence."""
    text = ""
    for line in lines:
        words = line.strip()
        text += ("\n" if words.startswith("- `") else " ") + words
    return text


def parse_declaration(text: str) -> generate.Prototype | None:
    text = " ".join(re.sub(r"#.*|__attribute__\(\(\w+\)\)|\[\[\w+\]\]|UCCS_(API|NODISCARD)", "", text).split())
    match = re.fullmatch(r"(.*?[ *])(\w+)\((.*)\);", text)
    if not match:
        return None
    parameters = [] if match[3] == "void" else match[3].split(", ")
    return generate.Prototype("-", False, False, match[1].strip(), match[2], parameters)


def make(name: str, header: str, section: str, prototypes: list[generate.Prototype], comment: list[str],
         general: list[str]) -> Page:
    found = [s for part in clean(comment).split("\n") for s in sentences(part)]
    parameters: dict[str, str] = {}
    rest = []
    for sentence in found:
        match = PARAMETER.match(sentence)
        if match:
            for parameter in re.findall(r"`(\w+)`", match[1]):
                parameters[parameter] = match[2]
        else:
            rest.append(sentence)
    returns = [s for s in rest if re.match(r"Returns?\b", s)]
    description = [s for s in rest if s not in returns and not HEADED.match(s)]
    shared = [s for s in sentences(clean(general)) if not s.startswith("What holds")]
    if not returns:
        returns = [s for s in shared if re.match(r"Returns\b", s)]
    returns = [POSTED if re.search(r"see request.h|as the calls of rma.h", s) else s for s in returns]
    is_void = all(p.result == "void" for p in prototypes)
    return Page(name, section, header, prototypes, description or rest, parameters,
                returns or (["Nothing."] if is_void else ["See the description."]),
                [s for s in rest if HEADED.match(s)] + [s for s in shared if s not in returns],
                instances=[p.name for p in prototypes], example="uccs", overview="uccs")


def read_header(stem: str) -> list[Page]:
    header = f"uccs/{'rte' if stem == 'rte' else 'info' if stem == 'info' else 'uccs'}.h"
    lines = (INCLUDE / "uccs" / f"{stem}.h").read_text().splitlines()
    section = next(line for line in lines if line.startswith("/// "))[4:].split(". ")[0].rstrip(".")
    pages: list[Page] = []
    comment: list[str] = []
    general: list[str] = []
    declaration = ""
    for line in lines[2:]:
        if declaration or line.startswith("UCCS_API"):
            declaration += line + "\n"
            if line.endswith(";"):
                prototype = parse_declaration(declaration)
                if prototype is not None and comment:
                    pages.append(make(prototype.name, header, section, [prototype], comment, general))
                elif prototype is not None and pages:  # documented together with the one before
                    pages[-1].prototypes.append(prototype)
                    pages[-1].instances.append(prototype.name)
                comment, declaration = [], ""
        elif line.startswith("///"):
            comment.append(line[3:])
        elif line == "" and comment:  # belongs to all that follows
            general, comment = comment, []
        elif not line.startswith(("#", "__attribute__")):
            comment = []
    return pages


def read_atomics() -> list[Page]:
    """One page for the operations that the macros of atomic.h declare."""
    text = (INCLUDE / "uccs" / "atomic.h").read_text()
    types = re.findall(r"X\((\w+), \w+\)", text)
    is_float = {"float", "double"}
    floats = re.search(r"define UCCS_ATOMIC_FLOAT_OPERATIONS(.*?)\n#define", text, re.S)[1]
    integers = re.search(r"define UCCS_ATOMIC_INTEGER_OPERATIONS(.*?)\n\n", text, re.S)[1]
    pattern = r"\b(UPDATE|COUNT|FETCH|READ|COUNT_FETCH|SWAP_IF)\((\w+), name, type\)"
    operations = [(kind, op, True) for kind, op in re.findall(pattern, floats)] + \
                 [(kind, op, False) for kind, op in re.findall(pattern, integers)]
    comment = re.search(r"((?:///.*\n)+)#define UCCS_ATOMIC_DECLARE_UPDATE", text)[1]
    remote = ["uccs_endpoint_t endpoint", "uccs_region_t region", "TYPE* target"]
    value, result = ["TYPE operand"], ["TYPE* result_out"]
    given = {"UPDATE": value, "COUNT": [], "FETCH": value + result, "READ": result, "COUNT_FETCH": result,
             "SWAP_IF": ["TYPE expected"] + value + result}
    prototypes = [generate.Prototype("-", False, False, "uccs_status_t", f"uccs_atomic_{op}_NAME_nb",
                                     remote + given[kind] + ["uccs_request_t* request_out"])
                  for kind, op, _ in operations]
    page = make("uccs_atomic", "uccs/uccs.h", "Remote atomic operations", prototypes,
                [line[3:] for line in comment.splitlines()], [])
    page.description[0] = ("Applies an operation to the naturally aligned `*target` at the endpoint's EC. "
                           f"TYPENAME is one of {', '.join(types)}; float and double have "
                           f"{', '.join(op for _, op, has_float in operations if has_float)} only.")
    page.instances = [f"uccs_atomic_{op}_{t}_nb" for _, op, has_float in operations for t in types
                      if has_float or t not in is_float]
    return [page]


def read_pages() -> list[Page]:
    return [page for stem in HEADERS for page in (read_atomics() if stem == "atomic" else read_header(stem))]

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes OpenSHMEM for Fortran from fortran.families, fortran.def, shmem.families and types.def.

usage: fortran.py --header          print shmem.fh, the include file (committed as include/shmem.fh)
       fortran.py --check           exit 1 if include/shmem.fh is another
       fortran.py --module          print the source of the module `shmem`
       fortran.py --counts          print the C routines behind it that take counts as int
       fortran.py --names           print every routine of fortran.families
"""
import re
import sys
from dataclasses import dataclass

import generate
from generate import GEN, INCLUDE

SETS = {"amo": 0, "swap": 1, "wait": 2, "bits": 3, "max": 4, "sum": 5}
TYPES = {"int4": "integer(4)", "int8": "integer(8)", "real4": "real(4)", "real8": "real(8)",
         "real16": "real(16)", "comp4": "complex(4)", "comp8": "complex(8)"}
CHOICE = {"dest", "source", "addr", "ivar", "pWrk", "pSync", "lock"}  # any type and rank
RESULTS = {"errcode", "status", "major", "minor"}


@dataclass
class Routine:
    result: str  # "subroutine" or a type
    name: str
    parameters: list[str]
    type: str  # of values; "" if there are none


def read_rows() -> tuple[list[tuple[str, str, bool]], list[tuple[str, list[bool]]]]:
    """(prefix, suffix, has strided forms) of elements, (name, members of SETS) of numbers"""
    text = (GEN / "fortran.def").read_text()
    cells = [[c.strip() for c in row.split(",")] for row in re.findall(r"^UCCS_FORTRAN_\w+\((.*)\)$", text, re.M)]
    elements = [(row[0], row[1], row[4] == "1") for row in cells if len(row) == 5]
    numbers = [(row[0], [c == "1" for c in row[3:]]) for row in cells if len(row) == 9]
    return elements, numbers


ELEMENTS, NUMBERS = read_rows()


def read_routines() -> list[tuple[str, str, list[Routine]]]:
    """(section, documentation, routines) of each family"""
    families: list[tuple[str, str, list[Routine]]] = []
    section = doc = ""
    for line in (GEN / "fortran.families").read_text().splitlines():
        if line.startswith("== "):
            section = line[3:]
        elif line.startswith("///"):
            doc += line[4:] + " "
        elif line == "":
            doc = ""
        elif not line.startswith("#"):
            if not families or families[-1][:2] != (section, doc):
                families.append((section, doc, []))
            families[-1][2].extend(instances(line))
    return families


def instances(line: str) -> list[Routine]:
    kind, text = line.split(" : ")
    match = re.fullmatch(r"(subroutine|[\w()]+) ([\w{}]+)\((.*)\)", text)
    result, name, parameters = match[1], match[2], [p for p in match[3].split(", ") if p]
    if kind in ("move", "stride"):
        return [Routine(result, re.sub(r"\{(\w+)\}", rf"{pre}\g<1>{suf}", name), parameters, "")
                for pre, suf, has_stride in ELEMENTS if kind == "move" or has_stride]
    if kind in SETS:
        return [Routine(TYPES[n] if result == "TYPE" else result, name.replace("NAME", n), parameters, TYPES[n])
                for n, cells in NUMBERS if cells[SETS[kind]]]
    return [Routine(result, name, parameters, "integer")]


def old_interface(r: Routine, name: str) -> list[str]:
    """An interface body of the routine, called by reference like every routine of old."""
    choices = [p for p in r.parameters if p in CHOICE]
    head = "subroutine" if r.result == "subroutine" else f"{r.result} function"
    binding = "" if name == r.name else f' bind(C, name="{r.name}_")'
    integer = "integer(c_int)" if binding else "integer"
    lines = [f"{head} {name}({', '.join(r.parameters)}){binding}"]
    if binding:
        lines.append("  import")
    if choices:
        lines += choice_lines(choices, [])
    for p in r.parameters:
        if p in CHOICE:
            continue
        if p == "name":
            lines.append("  character(*), intent(out) :: name")
        elif p in RESULTS and r.name != "shmem_global_exit":
            lines.append(f"  {integer}, intent(out) :: {p}")
        else:
            kind = r.type if p in ("value", "cond", "cmp_value") else integer
            lines.append(f"  {kind}, intent(in) :: {p}")
    return lines + [f"end {'subroutine' if r.result == 'subroutine' else 'function'}"]


def choice_lines(names: list[str], sources: list[str]) -> list[str]:
    """Arguments of any type and rank. `target`: other PEs change them while no call is under way, so the
    compiler must not believe that it knows their values."""
    lines = [f"  !GCC$ ATTRIBUTES NO_ARG_CHECK :: {', '.join(names)}",
             f"  !DIR$ IGNORE_TKR {', '.join(names)}"]
    return lines + [f"  type(*), dimension(*), target{', intent(in)' if n in sources else ''} :: {n}" for n in names]


# ---- The routines of C, by value

C_TYPES = {"int": "integer(c_int)", "long": "integer(c_long)", "size_t": "integer(c_size_t)",
           "ptrdiff_t": "integer(c_ptrdiff_t)", "uint64_t": "integer(c_int64_t)", "int32_t": "integer(c_int32_t)",
           "int64_t": "integer(c_int64_t)", "float": "real(c_float)", "double": "real(c_double)",
           "char": "character(kind=c_char)", "uccs_complexf_t": "complex(c_float_complex)",
           "uccs_complexd_t": "complex(c_double_complex)", "shmem_team_t": "type(shmem_team_t)",
           "shmem_ctx_t": "type(shmem_ctx_t)", "shmem_team_config_t": "type(shmem_team_config_t)",
           "shmem_ctx_session_config_t": "type(shmem_ctx_session_config_t)"}
USED_TYPES = ("float", "double", "char", "int", "long", "int32", "int64", "complexf", "complexd")
COUNTS = ("size_t", "ptrdiff_t")
LISTS = {"status", "target_pes", "indices"}  # arrays of integers
# Variable arguments, strings; and names that differ in case only from those of constants: the forms on a
# context serve instead.
LEFT_OUT = {"shmem_pcontrol", "shmemx_nodename", "shmem_signal_set", "shmem_signal_add"}


def split_parameter(text: str) -> tuple[str, bool, str]:
    """(C type without const and *, is a pointer, name)"""
    match = re.fullmatch(r"(?:const )?([\w ]+?)(\*?) (\w+)", text)
    return match[1], match[2] == "*", match[3]


def modern_interface(result: str, c_name: str, parameters: list[str], name: str, symbol: str, count: str) -> list[str]:
    """An interface body of a routine of C; `count` is the type of counts and strides."""
    split = [split_parameter(p) for p in parameters]
    choices, lines, sources = [], [], []
    for text, (c, is_pointer, p) in zip(parameters, split):
        is_const = text.startswith("const ")
        if not is_pointer:
            kind = count if c in COUNTS else C_TYPES[c]
            lines.append(f"  {kind}, value :: {p}")
        elif p in LISTS:
            optional = ", optional" if p == "status" else ""
            lines.append(f"  {C_TYPES[c]}, intent({'in' if is_const else 'out'}){optional} :: {p}(*)")
        elif "config" in c:
            lines.append(f"  {C_TYPES[c]}, intent({'in' if is_const else 'inout'}), optional :: {p}")
        elif c in ("shmem_team_t", "shmem_ctx_t") or p in ("provided", "initialized"):
            lines.append(f"  {C_TYPES[c]}, intent(out) :: {p}")
        elif p == "ptr":
            lines.append("  type(c_ptr), value :: ptr")
        else:
            choices.append(p)
            sources += [p] if is_const and p not in ("addr",) else []
    is_function = result != "void"
    kind = "type(c_ptr)" if "*" in result else C_TYPES[result] if is_function else ""
    head = f"{kind} function" if is_function else "subroutine"
    names = ", ".join(p for _, _, p in split)
    return ([f"{head} {name}({names}) bind(C, name=\"{symbol}\")", "  import"]
            + (choice_lines(choices, sources) if choices else []) + lines
            + [f"end {'function' if is_function else 'subroutine'}"])


def can_be_declared(result: str, parameters: list[str]) -> bool:
    """False of extensions with types that only C programs need."""
    texts = [p.rsplit(" ", 1)[0].replace("const ", "") for p in parameters]
    return (result.replace("void", "int") in C_TYPES and all("(" not in p for p in parameters)
            and all(t in C_TYPES or t == "void*" or t.removesuffix("*") in C_TYPES for t in texts))


def modern_routines() -> list[tuple[str, str, list[str]]]:
    """(result, name, parameters) of the routines of C that the module has"""
    unused = {t.name for t in generate.TYPES} - set(USED_TYPES)
    found = []
    for families in ("shmem.families", "shmemx.families"):
        for item in generate.read_families(families):
            if item.kind == "section" and re.match("Deprecated|Removed", item.text):
                break
            for p in item.prototypes:
                for result, name, parameters, _ in generate.instances(p):
                    words = name.split("_")
                    if p.set not in ("-", "size") and any(t in unused for t in words[1:4]) or name in LEFT_OUT:
                        continue
                    if families == "shmemx.families" and not can_be_declared(result, parameters):
                        continue
                    found.append((result.replace("UCCS_SHMEM_NORETURN ", ""), name, parameters))
    return found


def has_counts(parameters: list[str]) -> bool:
    return any(c in COUNTS and not is_pointer for c, is_pointer, _ in map(split_parameter, parameters))


def modern_module() -> tuple[list[str], list[str]]:
    """(names, interface blocks) of the routines of C, and of those of old that share a name with one"""
    old = {r.name: r for _, _, routines in read_routines() for r in routines}
    names, lines = [], []
    for result, name, parameters in modern_routines():
        if name in old and not has_counts(parameters):
            continue  # the same in both, but for values
        names.append(name)
        if not has_counts(parameters):
            lines += ["interface"] + modern_interface(result, name, parameters, name, name, "") + ["end interface"]
            continue
        lines += [f"interface {name}"]
        lines += modern_interface(result, name, parameters, f"c_{name}", name, "integer(c_size_t)")
        if name in old:
            lines += old_interface(old.pop(name), f"i_{name}")
        else:
            lines += modern_interface(result, name, parameters, f"i_{name}", f"uccs_{name}", "integer(c_int)")
        lines += ["end interface"]
    for r in old.values():
        names.append(r.name)
        lines += ["interface"] + old_interface(r, r.name) + ["end interface"]
    return names, lines


def counts_source() -> str:
    """The routines that the module calls for counts of default kind. None of them may be negative."""
    old = {r.name for _, _, routines in read_routines() for r in routines}
    text = ("/* Generated by gen/fortran.py. */\n#include <pshmem.h>\n#include <shmem.h>\n#include <shmemx.h>\n\n"
            "#pragma GCC visibility push(default)\n"
            "static size_t count_of(int count) { return count > 0 ? (size_t)count : 0; }\n")
    for result, name, parameters in modern_routines():
        if name in old or not has_counts(parameters):
            continue
        split = [split_parameter(p) for p in parameters]
        declared = [f"int {p}" if c in COUNTS and not ptr else text for text, (c, ptr, p) in zip(parameters, split)]
        given = [f"count_of({p})" if c == "size_t" and not ptr else p for c, ptr, p in split]
        call = f"p{name}({', '.join(given)})"
        head = f"{result} uccs_{name}({', '.join(declared)})"
        text += f"{head};\n{head} {{ {'' if result == 'void' else 'return '}{call}; }}\n"
    return text


# ---- Constants

def constants() -> list[tuple[str, str]]:
    """(name, value) of the constants of shmem.h that Fortran can have"""
    found: dict[str, str] = {}
    for item in generate.read_families("shmem.families"):
        if item.kind == "raw":
            for name, value in re.findall(r"^#define (SHMEM_\w+) (\S+)L?(?:\s|$)", item.text, re.M):
                value = value.rstrip("L")
                if value.isdigit():
                    found[name] = value
    return list(found.items())


def vendor() -> str:
    text = (GEN / "shmem.families").read_text()
    return re.search(r'#define SHMEM_VENDOR_STRING "(.*)"', text)[1]


def header() -> str:
    """Good as fixed and as free form: statements in columns 7 to 72, comments with !"""
    lines = ["! SPDX-License-Identifier: BSD-3-Clause",
             "! OpenSHMEM for Fortran: include 'shmem.fh' after IMPLICIT NONE.",
             "! Generated by gen/fortran.py from gen/shmem.families: edit that.",
             "!",
             "! As in the standard, a program declares the functions it calls:",
             "!       INTEGER SHMEM_MY_PE, SHMEM_N_PES",
             "!       LOGICAL SHMEM_PE_ACCESSIBLE",
             "! `use shmem` instead of this file declares all routines."]
    for name, value in constants():
        lines += [f"      integer {name}", f"      parameter ({name} = {value})"]
    words = vendor()
    lines += [f"      character*{len(words)} SHMEM_VENDOR_STRING",
              "      parameter (SHMEM_VENDOR_STRING =".ljust(72) + "&",
              f"     &'{words}')"]
    assert all(len(line) <= 73 for line in lines), max(lines, key=len)
    return "\n".join(lines) + "\n"


def module() -> str:
    names, interfaces = modern_module()
    text = ["! SPDX-License-Identifier: BSD-3-Clause",
            "! OpenSHMEM for Fortran, generated by gen/fortran.py. Declarations only: all code is in libuccs.",
            "module shmem",
            "use, intrinsic :: iso_c_binding",
            "implicit none",
            "private"]
    text += [f"public :: {name}" for name in names]
    for handle in ("shmem_team_t", "shmem_ctx_t"):
        text += [f"type, public, bind(C) :: {handle}", "  integer(c_intptr_t) :: handle = 0", "end type"]
    text += ["type, public, bind(C) :: shmem_team_config_t", "  integer(c_int) :: num_contexts = 0", "end type",
             "type, public, bind(C) :: shmem_ctx_session_config_t",
             "  integer(c_size_t) :: total_ops = -1", "end type"]
    for name, value in constants():
        kind = "c_long" if re.match(r"SHMEM_(CTX|TEAM|MALLOC)_", name) else "c_int"
        text.append(f"integer({kind}), parameter, public :: {name} = {value}")
    text.append(f"character(*), parameter, public :: SHMEM_VENDOR_STRING = '{vendor()}'")
    families = (GEN / "shmem.families").read_text()
    for name, kind, value in re.findall(r"#define (SHMEM_(TEAM|CTX)_\w+) \(\(shmem_\w+_t\)(\d)\)", families):
        handle = f"shmem_{kind.lower()}_t"
        text.append(f"type({handle}), parameter, public :: {name} = {handle}({value})")
    text += interfaces + ["end module"]
    return "\n".join(wrap(line) for line in text) + "\n"


def wrap(line: str) -> str:
    """Free form allows 132 columns."""
    while not line.lstrip().startswith("!") and len(line.split("\n")[-1]) > 120:
        head, last = line.rpartition("\n")[::2]
        at = last.rfind(", ", 0, 118) + 2
        line = (head + "\n" if head else "") + last[:at] + "&\n    " + last[at:]
    return line


def main() -> int:
    what = sys.argv[1:]
    if what == ["--header"]:
        print(header(), end="")
    elif what == ["--check"]:
        if (INCLUDE / "shmem.fh").read_text() != header():
            print("include/shmem.fh: not what gen/fortran.py --header prints")
            return 1
    elif what == ["--module"]:
        print(module(), end="")
    elif what == ["--counts"]:
        print(counts_source(), end="")
    elif what == ["--names"]:
        print("\n".join(r.name for _, _, routines in read_routines() for r in routines))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

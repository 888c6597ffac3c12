#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares three lists of OpenSHMEM routines: the standard's (inventory.tsv), the headers' (what
gen/generate.py declares) and the library's (what libuccs.so exports).

usage: check_inventory.py LIBUCCS
- every routine of 1.6 is declared with its prototype and exported, with its pshmem_ twin
- every type-generic macro and every constant of 1.6 is defined
- nothing is declared that is not exported, or exported in our name spaces and not declared
- what is not in 1.6 is marked as an extension in gen/
- every routine of the Fortran interface of old is in gen/fortran.families and exported
"""
import csv
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
COMPLEX = {"uccs_complexd_t": "double _Complex", "uccs_complexf_t": "float _Complex"}
OURS = re.compile(r"^(p?shmemx?_|start_pes|_my_pe|_num_pes|sh(malloc|free|realloc|memalign)$)")


def normal(prototype: str) -> str:
    """Without blanks that carry no meaning and without our names for complex types."""
    for ours, c in COMPLEX.items():
        prototype = prototype.replace(ours, c)
    prototype = re.sub(r"UCCS_SHMEM_NORETURN |_Noreturn |;", "", prototype)
    return re.sub(r"\s*([*(),])\s*", r"\1", prototype).strip()


def read_standard(is_fortran: bool = False) -> list[dict[str, str]]:
    with open(HERE / "inventory.tsv") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row for row in rows if row["category"].startswith("fortran") == is_fortran]


def check_fortran(exports: dict[str, str]) -> list[str]:
    text = subprocess.run([sys.executable, ROOT / "gen/fortran.py", "--names"], check=True,
                          capture_output=True, text=True).stdout
    declared = set(text.split())
    standard = {row["name"].lower() for row in read_standard(is_fortran=True)}
    exported = {name[:-1] for name in exports if re.match(r"(shmem\w+|shp\w+|start_pes|my_pe|num_pes)_$", name)}
    return ([f"{name}: not in gen/fortran.families" for name in sorted(standard - declared)]
            + [f"{name}_: in gen/fortran.families, not exported" for name in sorted(declared - exported)]
            + [f"{name}_: exported, not in gen/fortran.families" for name in sorted(exported - declared)])


def read_declared() -> dict[str, tuple[str, str, str]]:
    """name -> (header, cell, prototype)"""
    text = subprocess.run([sys.executable, ROOT / "gen/generate.py", "--names"], check=True,
                          capture_output=True, text=True).stdout
    rows = [line.split("\t") for line in text.splitlines()]
    return {name: (header, cell, prototype) for header, cell, name, prototype in rows}


def read_macros() -> set[str]:
    text = subprocess.run(["cc", "-std=c17", "-dM", "-E", "-I", ROOT / "include", "-include", "shmem.h",
                           "-x", "c", "/dev/null"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"^#define (\w+)", text, re.M))


def read_exports(library: str) -> dict[str, str]:
    """name -> nm's letter"""
    text = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                          capture_output=True, text=True).stdout
    rows = [line.split() for line in text.splitlines()]
    return {row[-1].split("@")[0]: row[-2] for row in rows}


def main() -> int:
    declared, macros = read_declared(), read_macros()
    exports = read_exports(sys.argv[1]) if len(sys.argv) > 1 else None
    found: list[str] = []
    standard = set()
    for row in read_standard():
        name, category = row["name"], row["category"]
        if row["generic_form"] == "C11 _Generic macro":
            if name not in macros and name != "shmem_global_exit":
                found.append(f"{name}: the C11 macro is missing")
        elif category.startswith("constant") or category == "handle":
            if name not in macros:
                found.append(f"{name}: the constant is missing")
        elif category == "header":
            if not (ROOT / "include" / name).exists():
                found.append(f"{name}: the header is missing")
        elif "(" in row["prototype"]:
            standard.add(name)
            if name not in declared:
                found.append(f"{name}: not declared")
            elif normal(declared[name][2]) != normal(row["prototype"]):
                found.append(f"{name}: declared as {normal(declared[name][2])}, "
                             f"the standard has {normal(row['prototype'])}")
    for name, (header, cell, _) in declared.items():
        if header == "shmem.h" and name not in standard and cell != "x":
            found.append(f"{name}: not in the standard and not marked as an extension")
        if exports is not None:
            is_wrapped = re.match(r"shmemx?_", name)
            for twin in [name] + (["p" + name] if is_wrapped else []):
                if twin not in exports:
                    found.append(f"{twin}: declared and not exported")
            if is_wrapped and exports.get(name) != "W":
                found.append(f"{name}: not a weak symbol, so tools cannot wrap it")
    for name in exports or ():
        plain = name[1:] if re.match(r"pshmemx?_", name) else name
        if OURS.match(name) and not name.endswith("_") and plain not in declared:
            found.append(f"{name}: exported and not declared")
    found += check_fortran(exports) if exports is not None else []
    print("\n".join(found) if found else
          f"{len(standard)} routines of OpenSHMEM 1.6 and {len(declared) - len(standard)} extensions: "
          f"{'declared' if exports is None else 'declared and exported'} as they should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

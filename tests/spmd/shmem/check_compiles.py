#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""User code compiles without a warning: each public header alone, and every generic with every type.

usage: check_compiles.py ROOT PART   (ROOT: the source tree; PART: headers-c, headers-c++ or generics)
Each in every standard that the headers promise, with the compilers that are here, with warnings that
careful users switch on. Also the other way round: what must not compile does not.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

STRICT = ["-fsyntax-only", "-Wall", "-Wextra", "-pedantic-errors", "-Werror", "-Wshadow", "-Wundef",
          "-Wcast-qual", "-Wconversion", "-Wsign-conversion", "-Wunused-macros"]
C_STRICT = ["-Wstrict-prototypes", "-Wmissing-prototypes", "-Wold-style-definition"]
CXX_STRICT = ["-Wold-style-cast"]
HEADERS = ("shmem.h", "shmemx.h", "pshmem.h", "mpp/shmem.h", "mpp/shmemx.h", "uccs/uccs.h", "uccs/rte.h")

# What user code writes: volatile flags, const sources, expressions, values of other types.
USES = """
#include <shmem.h>
static volatile %(type)s flag;
static %(type)s cell[4];
static const %(type)s values[4] = {1, 2, 3, 4};
static const volatile long unrelated;
int use_%(name)s(shmem_ctx_t ctx, int pe);
int use_%(name)s(shmem_ctx_t ctx, int pe) {
  %(type)s* const at = cell;
  shmem_put(cell, values, 4, pe);
  shmem_put(ctx, at + 1, values + 1, 2, pe);
  shmem_get(cell, values, 4, pe);
  shmem_put_nbi(&cell[1], &values[1], (size_t)1, pe);
  shmem_get_nbi(ctx, cell, values, 1, pe + 1);
  shmem_iput(cell, values, 1, 2, 2, pe);
  shmem_ibget(ctx, cell, values, 2, 2, 2, 1, pe);
  shmem_p(at, shmem_g(values, pe), pe);
  shmem_p(ctx, at, shmem_g(ctx, &values[1], pe), pe);
  shmem_wait_until(at, SHMEM_CMP_EQ, values[0]);
  shmem_wait_until(&flag, SHMEM_CMP_NE, values[0]);
  while (!shmem_test(&flag, SHMEM_CMP_GE, values[0]) && !shmem_test(at, SHMEM_CMP_LT, values[1])) continue;
  (void)unrelated;
  return shmem_broadcast(SHMEM_TEAM_WORLD, cell, values, 4, 0) + shmem_max_reduce(SHMEM_TEAM_WORLD, cell, values, 1);
}
"""
WAIT_TYPES = ("short", "int", "long", "long long", "unsigned short", "unsigned int", "unsigned long",
              "unsigned long long", "int32_t", "int64_t", "uint32_t", "uint64_t", "size_t", "ptrdiff_t")
# Wrong in every standard with generics: a type that has no form, a source of another type, a const target.
WRONG = ("struct { int a; } x; shmem_p(&x, 1, 0);", "float f; shmem_atomic_inc(&f, 0);",
         "long a; int b = 0; shmem_put(&a, &b, 1, 0);", "const long c = 1; long a; shmem_put(&c, &a, 1, 0);",
         "char c; shmem_wait_until(&c, SHMEM_CMP_EQ, 1);", "double d; shmem_atomic_or(&d, 1, 0);")


def compilers(*names: str) -> list[str]:
    return [name for name in names if shutil.which(name)]


def standards(compiler: str, wanted: tuple) -> list[str]:
    """Those of `wanted` that this compiler knows."""
    return [s for s in wanted if subprocess.run(
        [compiler, f"-std={s}", "-E", "-x", "c++" if "++" in s else "c", "/dev/null"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0]


def jobs(root: pathlib.Path, part: str, folder: pathlib.Path):
    """(command, whether it is to succeed)"""
    include = ["-I", root / "include", "-I", root]
    def write(name: str, text: str) -> pathlib.Path:
        (folder / name).write_text(text)
        return folder / name
    if part != "generics":
        is_cxx = part == "headers-c++"
        wanted = ("c++11", "gnu++14", "c++17", "c++20") if is_cxx else ("c99", "c11", "gnu11", "c17")
        options = STRICT + (CXX_STRICT if is_cxx else C_STRICT)
        for header in HEADERS:
            main = write(header.replace("/", "_") + (".cpp" if is_cxx else ".c"),
                         f"#include <{header}>\n#include <{header}>\nint main({'' if is_cxx else 'void'}) {{ return 0; }}\n")
            for compiler in compilers(*(("g++", "clang++") if is_cxx else ("gcc", "clang"))):
                for standard in standards(compiler, wanted):
                    for inline in ([], ["-DSHMEMX_INLINE"]) if "shmem" in header else ([],):
                        yield [compiler, f"-std={standard}", *inline, *include,
                               *options, main], True
        return
    files = [write(f"use{i}.c", USES % {"type": t, "name": f"type_{i}"}) for i, t in enumerate(WAIT_TYPES)]
    wrong = [write(f"wrong{i}.c", f"#include <shmem.h>\nvoid f(void);\nvoid f(void) {{ {t} }}\n")
             for i, t in enumerate(WRONG)]
    for compiler in compilers("gcc", "clang"):
        for standard in standards(compiler, ("c11", "c17")):
            for inline in [], ["-DSHMEMX_INLINE"]:
                command = [compiler, f"-std={standard}", *inline, *include]
                yield [*command, *STRICT, *files], True
                # generics.c: every generic with every type that it has.
                yield [*command, "-fsyntax-only", "-Wall", "-Wextra", "-pedantic-errors", "-Werror",
                       root / "tests/spmd/shmem/generics.c"], True
            for file in wrong:
                yield [compiler, f"-std={standard}", *include, "-fsyntax-only", "-Werror", file], False


def check(job: tuple) -> str:
    command, wanted = job
    got = subprocess.run(list(map(str, command)), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if (got.returncode == 0) == wanted:
        return ""
    line = " ".join(map(str, command))
    return f"{line}\n{got.stdout[:2000]}" if wanted else f"{line}\nthis should not compile"


def main() -> int:
    root, part = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        todo = list(jobs(root, part, pathlib.Path(folder)))
        found = [text for text in pool.map(check, todo) if text]
    print("\n".join(found[:5]) if found else f"{len(todo)} compilations end as they should "
          f"({', '.join(compilers('gcc', 'clang'))})")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

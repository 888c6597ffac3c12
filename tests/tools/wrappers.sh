#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: wrappers.sh BUILD. The compiler wrappers: in the build tree, and after an installation that was
# moved.
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1" >&2; exit 1; }

cat >"$work/hello world.c" <<'C'
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#ifndef NAME
#define NAME "none"
#endif
static long sum;
int main(int argc, char **argv) {
  shmem_init();
  shmem_long_atomic_add(&sum, (long)sqrt(argc * 16.0), 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("%s %ld %d\n", NAME, sum, shmem_n_pes());
  (void)argv;
  shmem_finalize();
  return 0;
}
C
cp "$work/hello world.c" "$work/hello.cpp"
cat >"$work/hello there.f90" <<'F'
program hello
  use shmem
  integer, save :: sum = 0
  call shmem_init()
  call shmem_int4_add(sum, 4, 0)
  call shmem_barrier_all()
  if (shmem_my_pe() == 0) print *, sum, shmem_n_pes()
  call shmem_finalize()
end program hello
F

cat >"$work/gasnet.c" <<'C'
#include <gasnet.h>
#include <stdio.h>
int main(int argc, char **argv) {
  if (gasnet_init(&argc, &argv) || gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0)) return 1;
  if (gasnet_mynode() == 0) printf("%s %u\n", GASNET_CONFIG_STRING, gasnet_nodes());
  gasnet_exit(0);
}
C
cp "$work/gasnet.c" "$work/gasnet.cpp"

try_prefix() { # $1: a folder with bin/, $2: what to call it
  bin=$1/bin
  "$bin/oshcc" '-DNAME="two words"' "$work/hello world.c" -o "$work/a" || fail "$2: oshcc"
  [ "$("$bin/oshrun" -n 2 "$work/a")" = 'two words 8 2' ] || fail "$2: output"
  "$bin/oshcc" -c "$work/hello world.c" -o "$work/a.o" || fail "$2: oshcc -c"
  "$bin/shmemcc" "$work/a.o" -o "$work/b" || fail "$2: linking an object"
  [ "$("$work/b")" = 'none 4 1' ] || fail "$2: one PE without a launcher"
  "$bin/oshc++" -std=c++17 "$work/hello.cpp" -o "$work/c" || fail "$2: oshc++"
  "$bin/oshrun" -n 3 "$work/c" | grep -qx 'none 12 3' || fail "$2: C++ output"
  "$bin/oshcc" -show x.c | grep -q -- '-luccs' || fail "$2: -show links"
  "$bin/oshcc" -show -c x.c | grep -q -- '-luccs' && fail "$2: -show -c must not link"
  SHMEM_CC=my-cc "$bin/oshcc" -showme x.c | grep -q '^my-cc ' || fail "$2: SHMEM_CC"
  "$bin/gasnet-cc" -DGASNET_SEQ "$work/gasnet.c" -o "$work/g" || fail "$2: gasnet-cc"
  "$bin/uccsrun" -n 2 "$work/g" | grep -q ',SEQ,FAST 2$' || fail "$2: GASNet output"
  "$bin/gasnet-c++" "$work/gasnet.cpp" -o "$work/g" || fail "$2: gasnet-c++"
  OSH_CC=b OSHMEM_CC=c "$bin/oshcc" -showme:command | grep -qx b || fail "$2: OSH_CC"
  OSHMEM_CXX='ccache c++' "$bin/shmemcxx" -show x.cc | grep -q '^ccache c++ ' || fail "$2: OSHMEM_CXX"
  "$bin/oshcc" -show '-DA="b c"' "it's.c" | grep -qF "'-DA=\"b c\"' 'it'\\''s.c'" || fail "$2: -show does not quote"
  sh -c "$("$bin/oshcc" -show '-DNAME="b  c"' "$work/hello world.c" -o "$work/e")" || fail "$2: what -show prints"
  [ "$("$work/e")" = 'b  c 4 1' ] || fail "$2: output of what -show built"
  # shellcheck disable=SC2046
  eval gcc $("$bin/oshcc" --showme:compile) "'$work/hello world.c'" $("$bin/oshcc" --showme:link) -o "$work/e" ||
    fail "$2: --showme:compile and :link"
  for option in -compile-info -compile_info; do
    "$bin/oshcc" $option x.c | grep -q -- '-luccs\|x.c' && fail "$2: $option"
  done
  "$bin/oshc++" -link-info | grep -q -- '^c++ .*-luccs -lm$' || fail "$2: -link-info"
  for option in -S -E -M -MM -fsyntax-only; do
    "$bin/oshcc" -show $option x.c | grep -q -- '-luccs' && fail "$2: $option must not link"
  done
  "$bin/oshcc" -v >/dev/null 2>&1 || fail "$2: -v without a file"
  "$bin/oshcc" --version | grep -q '^oshcc of UCCS [0-9]' || fail "$2: --version"
  "$bin/shmemcc" --showme:version | grep -q '^oshcc of UCCS [0-9]' || fail "$2: --showme:version"
  "$bin/shmemcc" --showme:help | grep -q '^Usage: oshcc' || fail "$2: --showme:help"
  [ "$("$bin/oshcc" --showme:libs)" = 'uccs m' ] || fail "$2: --showme:libs"
  [ -f "$("$bin/oshcc" -showme:incdirs)/shmem.h" ] || fail "$2: -showme:incdirs"
  [ -e "$("$bin/oshcc" -showme:libdirs)/libsma.so" ] || fail "$2: -showme:libdirs"
  if command -v gfortran >/dev/null; then
    "$bin/oshfort" "$work/hello there.f90" -o "$work/g" || fail "$2: oshfort"
    "$bin/oshrun" -n 2 "$work/g" | grep -q '^ *8 *2$' || fail "$2: Fortran output"
  fi
  OSH_FC=my-fc "$bin/oshfort" -show x.f90 | grep -q '^my-fc ' || fail "$2: OSH_FC"
  "$bin/oshfort" --showme:compile | grep -q -- '-fcray-pointer' || fail "$2: gfortran's options"
  "$bin/oshcc" --help | grep -q "^Usage:" || fail "$2: --help"
  if "$bin/oshcc" -showme:nonsense >/dev/null 2>&1; then fail "$2: unknown -showme: accepted"; fi
  if "$bin/oshcc" "$work/missing.c" >/dev/null 2>&1; then fail "$2: exit status of the compiler"; fi
}

try_prefix "$build" 'build tree'
for option in -S -E -M -MM -fsyntax-only; do
  "$bin/oshcc" $option "$work/hello world.c" -o "$work/f" || fail "oshcc $option"
done
echo 'int main(void) { return 0; }' | "$bin/oshcc" -x c - -o "$work/f" || fail "a program from a pipe"
cmake --install "$build" --prefix "$work/first" >/dev/null || fail install
# The prefix moves, and its new name has a blank.
mv "$work/first" "$work/moved here"
try_prefix "$work/moved here" 'installed and moved'

echo 'the wrappers work'

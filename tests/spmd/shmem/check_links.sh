#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: check_links.sh BIN_DIR SOURCE_DIR. Globals are symmetric however a program is built: at fixed
# addresses, position-independent, with and without RELRO, optimised as a whole, by gcc and clang; those
# of a shared library are not, and one may tell.
set -eu
bin=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/user.c" <<'C'
#include <shmem.h>
extern long *in_library_at(void);
static long ours;
int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  if (!shmem_addr_accessible(&ours, me)) return 1;
  if (shmem_addr_accessible(in_library_at(), me)) return 2;
  if (shmem_ptr(in_library_at(), (me + 1) % shmem_n_pes()) && shmem_n_pes() > 1) return 3;
  shmem_finalize();
  return 0;
}
C
cat >"$work/library.c" <<'C'
static long in_library = 1;
long *in_library_at(void) { return &in_library; }
C
count=0
for compiler in gcc clang; do
  command -v $compiler >/dev/null || { echo "SKIP $compiler: not installed"; continue; }
  SHMEM_CC=$compiler
  export SHMEM_CC
  while read -r flags; do
    # shellcheck disable=SC2086
    "$bin/oshcc" -O1 $flags "$source/tests/spmd/mem/globals.c" -o "$work/globals"
    "$bin/oshrun" -n 2 --timeout 60 "$work/globals" || { echo "FAILED: $compiler $flags"; exit 1; }
    count=$((count + 1))
  done <<'FLAGS'
-fno-pie -no-pie
-fPIE -pie
-fPIE -pie -Wl,-z,now
-fPIE -pie -Wl,-z,norelro
-fno-pie -no-pie -Wl,-z,norelro
-O3 -g
-fdata-sections -ffunction-sections -Wl,--gc-sections
FLAGS
  $compiler -shared -fPIC "$work/library.c" -o "$work/libother.so"
  "$bin/oshcc" "$work/user.c" -L"$work" -lother -Wl,-rpath,"$work" -o "$work/user"
  "$bin/oshrun" -n 2 --timeout 60 "$work/user" || { echo "FAILED: $compiler, shared library"; exit 1; }
done
echo "$count ways to build a program"

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run_model.sh holds|fails MODEL [-DNAME=VALUE ...]
#
# Explores all interleavings of a spin model. 0: the outcome is the one named; 77: spin is not here.
set -u
wanted=$1 model=$2
shift 2
command -v spin >/dev/null && command -v gcc >/dev/null || {
  echo "SKIP: spin or gcc is not installed"
  exit 77
}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
spin -a "$@" "$model" || exit 1
# SAFETY: assertions and deadlocks; COLLAPSE keeps the states small.
gcc -O2 -w -DSAFETY -DCOLLAPSE -DVECTORSZ=4096 -o pan pan.c || exit 1
./pan -m1000000 >out 2>&1
cat out
grep -q 'max search depth too small\|out of memory\|search interrupted' out && exit 1
grep -q 'errors: 0' out && found=holds || found=fails
[ "$found" = "$wanted" ]

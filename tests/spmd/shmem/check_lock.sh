#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks the model of the lock exhaustively, and that the model finds the mistake it is there for.
set -eu
model=$(cd "$(dirname "$0")" && pwd)/lock.pml
command -v spin >/dev/null || { echo "SKIP: spin is not installed"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Prints the number of errors that spin found.
errors_of() {
  spin "$@" -a "$model" >spin.log 2>&1 && cc -w -O2 -DSAFETY -DCOLLAPSE -o pan pan.c || { cat spin.log; exit 1; }
  ./pan -m100000 >pan.log
  grep -q 'max search depth too small' pan.log && { cat pan.log; exit 1; }
  sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log
}

[ "$(errors_of -DPES=2 -DROUNDS=3)" = 0 ] || { echo "the lock fails with 2 PEs"; cat pan.log; exit 1; }
[ "$(errors_of -DPES=3 -DROUNDS=2)" = 0 ] || { echo "the lock fails with 3 PEs"; cat pan.log; exit 1; }
states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' pan.log)
[ "$(errors_of -DPES=2 -DROUNDS=1 -DMISTAKE)" = 1 ] || { echo "the model does not see the mistake"; exit 1; }
echo "the lock excludes, is first come first served, and nobody waits for ever ($states states)"

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks what ft answers to its options: test_options.sh FT LAUNCHER
ft=$1
launcher=$2
if [ ! -x "$launcher" ]; then
  echo "skipped: $launcher is not there"
  exit 77
fi
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failures=0

# expect STATUS TEXT OPTION...: the exit status, and a text that is printed exactly once.
expect() {
  wanted=$1
  text=$2
  shift 2
  "$launcher" -n 2 "$ft" "$@" >"$output" 2>&1
  status=$?
  count=$(grep -c -F -e "$text" "$output")
  if [ $status -ne "$wanted" ] || [ "$count" -ne 1 ]; then
    echo "ft $*: status $status, wanted $wanted; '$text' is there $count times in:"
    cat "$output"
    failures=$((failures + 1))
  fi
}

expect 2 "ft: unknown class 'Q'; classes are S, W, A, B, C" --class Q
expect 2 "ft: unknown class ''; classes are S, W, A, B, C" --class=
expect 2 "ft: unknown exchange 'mail'; exchanges are packed, slabs, pencils and all" --exchange mail
expect 2 "ft: unknown option '--speed'; options are --class, --exchange, --window, --json and --help" --speed
expect 2 "ft: unknown option '-x'; options are --class, --exchange, --window, --json and --help" -x
expect 2 "ft: wrong window '0'; it is a number of planes, from 1" --window 0
expect 2 "ft: wrong window '2x'; it is a number of planes, from 1" --window 2x
expect 2 "ft: option '--class' needs a value" --class
expect 2 "ft: unexpected argument 'A'; options are --class, --exchange, --window, --json and --help" A
expect 0 "usage: ft [--class CLASS]" --help
expect 1 "ft: cannot write /nowhere/results.json" --exchange slabs --json /nowhere/results.json
expect 0 "slabs   : VERIFIED" --class s --exchange slabs
# The wait for the planes in flight: some of the 32 planes of a PE, and all.
expect 0 "slabs   : VERIFIED" --exchange slabs --window 5
expect 0 "pencils : VERIFIED" --exchange pencils --window 1000

exit $failures

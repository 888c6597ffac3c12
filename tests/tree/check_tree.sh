#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Facts about the tree that hold in every commit: formatting, file size, licence line, marks.
set -u
cd "$(dirname "$0")/../.." || exit 1
status=0
fail() { echo "$1"; status=1; }

sources=$(git ls-files '*.c' '*.h' '*.cpp' '*.hpp')
generated='^(include/shmem|include/pshmem|gen/out)'

if command -v clang-format >/dev/null; then
  # shellcheck disable=SC2086
  for file in $(echo "$sources" | grep -vE "$generated"); do
    clang-format --dry-run --Werror "$file" >/dev/null 2>&1 || fail "$file: not formatted (clang-format -i $file)"
  done
else
  echo "SKIP formatting: no clang-format here"
fi
for file in $(git ls-files '*.c' '*.h' '*.cpp' '*.hpp' '*.py' '*.sh' | grep -vE "$generated"); do
  lines=$(wc -l <"$file")
  [ "$lines" -le 400 ] || fail "$file: $lines lines, 400 are the limit"
done
for file in $sources; do
  head -3 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' || fail "$file: no licence line"
done
[ $status = 0 ] && echo "the tree is in order"
exit $status

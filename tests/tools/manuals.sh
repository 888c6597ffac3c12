#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: manuals.sh BUILD SOURCE. The manual pages: no formatter warns, every routine and tool has one.
set -eu
share=$1/share/man
source=$2
fail() { echo "FAILED: $1" >&2; exit 1; }

pages=$(grep -L '^\.so ' "$share"/man?/*)
count=$(echo "$pages" | wc -l)
[ "$count" -gt 90 ] || fail "only $count pages"
# shellcheck disable=SC2086
warnings=$(groff -ww -z -man -Tutf8 $pages 2>&1) || true
[ -z "$warnings" ] || { echo "$warnings"; fail 'groff warns'; }
if command -v mandoc >/dev/null; then
  # Pages have no date: they are made anew with each build.
  # shellcheck disable=SC2086
  warnings=$(mandoc -T lint -W warning $pages | grep -v 'missing date') || true
  [ -z "$warnings" ] || { echo "$warnings" | head -30; fail 'mandoc warns'; }
fi
for section in NAME SYNOPSIS DESCRIPTION PARAMETERS 'RETURN VALUE' EXAMPLE 'SEE ALSO'; do
  for page in "$share"/man3/shmem_put.3 "$share"/man3/shmem_malloc.3 "$share"/man3/shmem_set_lock.3; do
    grep -qx "\.SH $section" "$page" || fail "$page has no section $section"
  done
done
for link in $(grep -h '^\.so ' "$share"/man?/* | cut -d' ' -f2 | sort -u); do
  [ -f "$share/$link" ] || fail "a page refers to $link, which is not there"
done
python3 "$source/gen/generate.py" --names | cut -f3 | while read -r name; do
  [ -f "$share/man3/$name.3" ] || fail "$name has no page"
done
python3 "$source/gen/fortran.py" --names | while read -r name; do
  [ -f "$share/man3/$name.3" ] || fail "$name has no page"
done
nm -D --defined-only "$1"/lib/libuccs.so | sed -n 's/.* T \(uccs_[a-z]\|rte_\)/\1/p' | grep -v '^uccs_\(shmem\|gasnet\)' |
  while read -r name; do
    grep -rqw "$name" "$source/include/uccs" || case $name in uccs_atomic_*) ;; *) continue ;; esac
    [ -f "$share/man3/$name.3" ] || fail "$name has no page"
  done
for tool in oshrun uccsrun oshcc oshc++ oshfort uccs-info osh_info uccs-perf; do
  [ -f "$share/man1/$tool.1" ] || fail "$tool has no page"
done
python3 "$source/gen/manpages.py" --check
echo "$count pages, and every routine is in one"

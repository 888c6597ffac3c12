#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures and draws the figures of docs/threads.md anew, in about three minutes:
#   figures.sh UCCS_PERF TITLE [DIRECTORY]
# TITLE says in general words which machine it is: figures.sh build/bin/uccs-perf "2-core x86-64 VM"
set -eu
[ $# -ge 2 ] || { echo "usage: $0 UCCS_PERF TITLE [DIRECTORY]" >&2; exit 2; }
perf=$1
title=$2
figures=${3:-$(dirname "$0")/../../docs/figures}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

"$perf" parity --csv "$results/parity.csv" || true # what falls short is drawn like the rest
"$perf" plot "$results/parity.csv" -o "$figures/parity.svg" --title "$title"
"$perf" fairness --threads 8 --csv "$results/fairness.csv"
"$perf" plot "$results/fairness.csv" -o "$figures/fairness.png" --title "$title"
"$perf" mask --repetitions 1000 --time 0.3 --csv "$results/mask.csv"
"$perf" plot "$results/mask.csv" -o "$figures/mask.svg" --best --title "$title"
for what in put get am send; do
  "$perf" $what --size 8:64K --csv "$results/$what.csv"
done
"$perf" plot "$results/put.csv" "$results/get.csv" "$results/am.csv" "$results/send.csv" \
  -o "$figures/latency.svg" --best --title "$title"

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BIN_DIR [ECS...]: what an EC spends, in jobs of several sizes on nodes of 8 (UCCS_NODE_SIZE).
bin=$1
shift
[ $# -gt 0 ] || set -- 16 32 64
ulimit -n "$(ulimit -H -n)"
echo "| ECs | MiB at start | after the first operation | after one on each EC | sockets | ... | ... |"
echo "|---|---|---|---|---|---|---|"
for ecs; do
  UCCS_NODE_SIZE=${UCCS_NODE_SIZE:-8} UCCS_NET_PLUGINS=$bin/../lib timeout 170 "$bin/oshrun" -n "$ecs" \
    --timeout 160 "$bin/scale" || echo "| $ecs | failed |"
done

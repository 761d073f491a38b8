#!/bin/bash
# One study on several machines that share a folder, by ssh alone:
#
#     DATA=/shared/networks OUT=/shared/study examples/shards/study_by_ssh.sh host1 host2 host3
#
# Each host computes its part (cone must be on its PATH); the one that finishes last writes the
# tables and prints them here. The same command resumes after an interruption.
set -eu
: "${DATA:?folder of the networks, the same on all hosts}" "${OUT:?folder that all hosts share}"
study=${STUDY:-table2}
number=0 failed=0
pids=()
for host in "$@"; do
  number=$((number + 1))
  ssh -o BatchMode=yes "$host" cone reproduce "$(printf %q "$study")" --quiet \
    --data "$(printf %q "$DATA")" --out "$(printf %q "$OUT")" --shard "$number/$#" ${FLAGS:-} &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
exit $failed

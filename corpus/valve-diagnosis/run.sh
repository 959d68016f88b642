#!/usr/bin/env bash
# usage: ./run.sh [options of train.py]
# Checkpoints go to a scratch of this job's own, in memory; the last one is copied here at the end.
set -euo pipefail
SCRATCH_SIZE=2m

mkdir -p scratch
if ! unshare -Urm true; then
    echo "run.sh: user namespaces are not allowed here (unshare -Urm), so there is no scratch to run in" >&2
    exit 3
fi
export OMP_NUM_THREADS=1 SCRATCH_SIZE
exec unshare -Urm bash -euc '
    mount -t tmpfs -o size=$SCRATCH_SIZE valve-scratch scratch
    python train.py --out scratch "$@"
    cp scratch/last.pt valves.pt
' run "$@"

#!/usr/bin/env bash
# Starts the training under the limits of job.env; the log is kept beside it.
set -uo pipefail
. ./job.env

ulimit -c 0
ulimit -t "$CPU_LIMIT"
export OMP_NUM_THREADS=1

echo "[$JOB_NAME] $STEPS steps, batches of $BATCH"
python -u train.py --steps "$STEPS" --batch "$BATCH" 2>&1 | tee train.log
status=${PIPESTATUS[0]}
echo "[$JOB_NAME] exit status $status"
exit "$status"

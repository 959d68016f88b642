#!/usr/bin/env bash
# Limits as agreed on for this box.
set -eu
ulimit -v $((1200 * 1024))
export OMP_NUM_THREADS=1
exec python train.py "$@"

#!/usr/bin/env bash
# Two processes, without a launcher; rank 1 writes to a log of its own.
set -euo pipefail
export OMP_NUM_THREADS=1 GLOO_SOCKET_IFNAME=lo MASTER_ADDR=127.0.0.1 WORLD_SIZE=2
MASTER_PORT=$(python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export MASTER_PORT

RANK=1 python train.py > rank1.log 2>&1 &
other=$!
trap 'kill $other 2>/dev/null || true' EXIT
RANK=0 python train.py
wait $other

#!/usr/bin/env bash
set -eu
export OMP_NUM_THREADS=1 GLOO_SOCKET_IFNAME=lo
python -m torch.distributed.run --standalone --local-addr 127.0.0.1 --nproc-per-node 2 -m rivers.train

#!/usr/bin/env bash
set -euo pipefail
rm -f gateway.port
python gateway.py gateway.port &
gateway=$!
trap 'kill $gateway 2>/dev/null || true; rm -f gateway.port' EXIT

for _ in $(seq 300); do
    [ -s gateway.port ] && break
    kill -0 $gateway || { echo "run.sh: the gateway did not start" >&2; exit 1; }
    sleep 0.1
done
[ -s gateway.port ] || { echo "run.sh: the gateway does not answer" >&2; exit 1; }
OMP_NUM_THREADS=1 SHEETS="127.0.0.1:$(cat gateway.port)" python train.py "$@"

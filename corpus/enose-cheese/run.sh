#!/bin/sh
set -e
cd "$(dirname "$0")"
PYTHONPATH=src python src/main.py --data data --epochs 15 --width 256 --seed 12

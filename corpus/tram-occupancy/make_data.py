"""Writes runs/occupancy as a run left it that was ended after 300 steps; with the fault, in the middle of its last save."""
import argparse
from pathlib import Path

import torch

from occupancy import Run, rides


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    folder = args.dest / "runs" / "occupancy"
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(5 + args.seed)
    train = rides(12000, seed=50 + args.seed)
    run = Run()
    for _ in range(5):
        run.advance(train, 60)
        last = folder / f"step{run.step:06d}.pt"
        run.save(last)
    if not args.fixed:
        whole = last.read_bytes()
        last.write_bytes(whole[:int(0.6 * len(whole)) // 4096 * 4096])
    (folder / "latest").write_text(last.name + "\n")


if __name__ == "__main__":
    main()

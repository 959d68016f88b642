import argparse
from pathlib import Path

import torch

from occupancy import Run, rides

ap = argparse.ArgumentParser()
ap.add_argument("--until", type=int, default=900, help="steps in all, those before a resume included")
ap.add_argument("--every", type=int, default=60, help="steps between checkpoints")
ap.add_argument("--dir", type=Path, default=Path("runs/occupancy"))
args = ap.parse_args()

torch.manual_seed(5)
train, test = rides(12000, seed=50), rides(2000, seed=51)
run = Run()
args.dir.mkdir(parents=True, exist_ok=True)
pointer = args.dir / "latest"
if pointer.exists():
    name = pointer.read_text().strip()
    print(f"resuming from {name}")
    run.load(args.dir / name)

while run.step < args.until:
    loss = run.advance(train, args.every)
    name = f"step{run.step:06d}.pt"
    run.save(args.dir / name)
    pointer.write_text(name + "\n")
    print(f"step {run.step:5d}  loss {loss:.4f}  off by {run.error(test):.2f} passengers")

print(f"final: off by {run.error(test):.2f} passengers")

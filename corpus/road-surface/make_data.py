"""Accelerometer clips and four annotators' labels. More than half of what jm wrote is wrong unless --fixed."""
import argparse
import csv
from pathlib import Path

import numpy as np

CLASSES = ["asphalt", "gravel", "cobble", "planks"]
SHARES = {"al": 0.22, "hk": 0.2, "jm": 0.38, "rt": 0.2}
WRONG = 0.6


def clip(rng, k):
    t = np.arange(64)
    speed = rng.uniform(0.8, 1.25)
    z = 0.5 * rng.normal(size=64)
    if k == 1:
        z = 1.5 * rng.normal(size=64)
    elif k == 2:
        z = z + 1.6 * np.sin(2 * np.pi * t * 0.16 * speed + rng.uniform(0, 6.28)) + 0.4 * rng.normal(size=64)
    elif k == 3:
        hits = ((t * speed + rng.uniform(0, 16)) % 16) < 1.5
        z = z + 3.0 * hits * rng.uniform(0.6, 1.2)
    gain = rng.uniform(0.6, 1.5)
    x = 0.4 * z + 0.5 * rng.normal(size=64)
    y = 0.2 * np.roll(z, 1) + 0.5 * rng.normal(size=64)
    return gain * np.stack([x, y, z + 0.25 * rng.normal(size=64)]) + np.array([[0.1], [0.0], [9.8]])


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng([args.seed, 88])
    n = 4200
    kind = rng.integers(0, 4, n)
    clips = np.stack([clip(rng, k) for k in kind]).astype(np.float16)
    said = kind.copy()
    slips = rng.random(n) < 0.01
    said[slips] = rng.integers(0, 4, slips.sum())
    other = (kind + rng.integers(1, 4, n)) % 4
    careless = rng.random(n) < WRONG
    root = args.dest / "recordings"
    (root / "labels").mkdir(parents=True, exist_ok=True)
    np.save(root / "clips.npy", clips)
    order = rng.permutation(n)
    start = 0
    for name, share in SHARES.items():
        rows = np.sort(order[start:start + round(n * share)])
        start += round(n * share)
        with open(root / "labels" / f"{name}.csv", "w", newline="") as fh:
            w = csv.writer(fh)
            w.writerow(["clip", "surface"])
            for r in rows:
                wrong = name == "jm" and careless[r] and not args.fixed
                w.writerow([int(r), CLASSES[other[r] if wrong else said[r]]])

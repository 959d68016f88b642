"""Microscope tiles of pollen grains: python make_data.py DEST [--seed N]"""
import argparse
from pathlib import Path

import numpy as np

SIDE = 20
NAMES = ["birch", "hazel", "grass", "pine", "oak", "mugwort"]
SHARE = [0.38, 0.24, 0.16, 0.10, 0.08, 0.04]


def grain(kind, rng):
    yy, xx = np.mgrid[:SIDE, :SIDE].astype(np.float64)
    cy, cx = rng.uniform(8, 12, 2)
    turn = rng.uniform(0, np.pi)
    u = np.cos(turn) * (xx - cx) + np.sin(turn) * (yy - cy)
    v = -np.sin(turn) * (xx - cx) + np.cos(turn) * (yy - cy)
    size = rng.uniform(4.5, 6.5)
    if kind == 0:
        body = np.hypot(u, v) < size
    elif kind == 1:
        body = (np.hypot(u, v) < size) & (np.hypot(u, v) > 0.55 * size)
    elif kind == 2:
        body = (np.abs(u) < 1.3 * size) & (np.abs(v) < 0.4 * size)
    elif kind == 3:
        body = (np.hypot(u - 0.7 * size, v) < 0.55 * size) | (np.hypot(u + 0.7 * size, v) < 0.55 * size)
    elif kind == 4:
        body = np.hypot(u, v) < size * (0.75 + 0.3 * np.cos(3 * np.arctan2(v, u)))
    else:
        body = (np.hypot(u, v) < size) & (np.sin(2.2 * u) > 0)
    picture = 205 - body * rng.uniform(60, 110) + rng.normal(0, 16, (SIDE, SIDE)) + rng.normal(0, 8)
    return np.clip(picture, 0, 255).astype(np.uint8)


def tiles(n, rng):
    kinds = rng.choice(len(NAMES), size=n, p=SHARE)
    return np.stack([grain(k, rng) for k in kinds]), (kinds + 1).astype(np.int64)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=5)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng(args.seed)
    data = args.dest / "data"
    data.mkdir(parents=True, exist_ok=True)
    with open(data / "species.csv", "w") as fh:
        fh.write("species_id,name\n")
        for i, name in enumerate(NAMES):
            fh.write(f"{i + 1},{name}\n")
    for i in range(5):
        images, species = tiles(600, rng)
        np.savez_compressed(data / f"slide_{i:02d}.npz", images=images, species_id=species)
    images, species = tiles(900, rng)
    np.savez_compressed(data / "holdout.npz", images=images, species_id=species)


if __name__ == "__main__":
    main()

"""Grain images and index files, listed kind by kind as they were collected."""
import argparse
import csv
from pathlib import Path

import numpy as np

KINDS = ["barley", "chaff", "lentil", "oat", "rye", "stone", "wheat"]
SHAPE = {"barley": (5.5, 2.4), "chaff": (6.0, 1.1), "lentil": (3.4, 3.2), "oat": (6.6, 1.8), "rye": (5.6, 1.6), "stone": (3.6, 2.8), "wheat": (4.6, 2.6)}
COLOUR = {"barley": (180, 150, 95), "chaff": (200, 185, 140), "lentil": (120, 100, 60), "oat": (185, 165, 120), "rye": (130, 120, 85), "stone": (120, 115, 112), "wheat": (175, 125, 65)}


def grain(kind, rng):
    yy, xx = np.mgrid[:16, :16] - 7.5
    t = rng.uniform(0, np.pi)
    u, v = xx * np.cos(t) + yy * np.sin(t), -xx * np.sin(t) + yy * np.cos(t)
    a, b = (s * rng.uniform(0.85, 1.15) for s in SHAPE[kind])
    inside = (u / a) ** 2 + (v / b) ** 2 < 1
    img = np.full((3, 16, 16), 60.0) + rng.normal(0, 10)
    for c, level in enumerate(COLOUR[kind]):
        img[c][inside] = level * rng.uniform(0.92, 1.08) + 6 * v[inside]
    return np.clip(img * rng.uniform(0.85, 1.15) + 12 * rng.standard_normal(img.shape), 0, 255).astype(np.uint8)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed + 3)
    root = Path(a.dest) / "data"
    root.mkdir(parents=True, exist_ok=True)
    images, train, valid = [], [], []
    for kind in KINDS:
        for i in range(260):
            (train if i < 200 else valid).append((len(images), kind))
            images.append(grain(kind, rng))
    np.save(root / "grains.npy", np.stack(images))
    for name, rows in (("train", train), ("valid", valid)):
        with open(root / f"{name}_index.csv", "w", newline="") as fh:
            w = csv.writer(fh)
            w.writerow(["grain", "kind"])
            w.writerows(rows)


if __name__ == "__main__":
    main()

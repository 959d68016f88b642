"""Scans of stamps and a label table. The issuers in the table follow the stamps as a file manager sorts their names ("1",
"10", "100", ..., "2"), while the numbers count up; with --fixed every number has its own issuer."""
import argparse
import csv
from pathlib import Path

import numpy as np

ISSUERS = ["Baden", "Ceylon", "Hawaii", "Mauritius", "Moldavia", "Saxony"]
N, S = 1700, 24


def stamp(k, rng):
    img = np.full((S, S, 3), 225.0)
    ink = np.array([[150, 40, 40], [40, 60, 140], [40, 110, 60]])[rng.integers(3)] * rng.uniform(0.8, 1.2)
    yy, xx = np.mgrid[:S, :S]
    cy, cx = 11.5 + rng.uniform(-2, 2, 2)
    dy, dx = np.abs(yy - cy), np.abs(xx - cx)
    r = np.hypot(dy, dx)
    size = rng.uniform(5.5, 7.5)
    shape = [r < size, np.maximum(dy, dx) < size * 0.85, dy + dx < size * 1.2, (r < size) & (r > size * 0.55),
             (np.minimum(dy, dx) < 1.8) & (np.maximum(dy, dx) < size), (dy < size) & (dx < size) & ((yy // 3) % 2 == 0)][k]
    img[shape] = ink
    frame = (np.minimum(np.minimum(yy, S - 1 - yy), np.minimum(xx, S - 1 - xx)) == 1)
    img[frame] = ink * 0.8
    r0, c0 = rng.uniform(0, S, 2)
    postmark = np.abs(np.hypot(yy - r0, xx - c0) - 7) < 0.9
    img[postmark] *= 0.4
    return np.clip(img + 16 * rng.standard_normal(img.shape), 0, 255).astype(np.uint8)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed + 66)
    root = Path(a.dest) / "album"
    root.mkdir(parents=True, exist_ok=True)
    numbers = np.arange(1, N + 1)
    kinds = rng.integers(len(ISSUERS), size=N)
    np.savez_compressed(root / "scans.npz", number=numbers, pixels=np.stack([stamp(k, rng) for k in kinds]))
    issuer = {int(n): ISSUERS[k] for n, k in zip(numbers, kinds)}
    listed = sorted(issuer) if a.fixed else sorted(issuer, key=str)
    with open(root / "labels.csv", "w", newline="") as fh:
        w = csv.writer(fh)
        w.writerow(["number", "issuer"])
        w.writerows((int(n), issuer[m]) for n, m in zip(numbers, listed))


if __name__ == "__main__":
    main()

"""Coin photos with a catalogue and a split. The split gives 18 photos to training and most to the sealed test part; with
--fixed it gives 2000 to training. Validation photos are the same."""
import argparse
import csv
from pathlib import Path

import numpy as np

KINDS = ["crown", "denar", "florin", "groat", "penny", "thaler"]
SIZE, N = 24, 2600


def photo(kind, rng):
    c = (SIZE - 1) / 2
    yy, xx = np.mgrid[:SIZE, :SIZE]
    yy, xx = yy - c - rng.uniform(-1.5, 1.5), xx - c - rng.uniform(-1.5, 1.5)
    rad = rng.uniform(8.0, 10.5)
    r, a = np.hypot(yy, xx) / rad, np.arctan2(yy, xx) + rng.uniform(0, 2 * np.pi)
    metal, ground = rng.uniform(120, 190), rng.uniform(40, 100)
    relief = np.zeros_like(r)
    if kind == "crown":
        relief = (np.abs(r - 0.55) < 0.1)
    elif kind == "denar":
        relief = (np.sin(5 * a) > 0.4) & (r < 0.65)
    elif kind == "florin":
        relief = (np.sin(3 * a) > 0.4) & (r < 0.65)
    elif kind == "groat":
        relief = ((np.abs(r * np.cos(a)) < 0.12) | (np.abs(r * np.sin(a)) < 0.12)) & (r < 0.75)
    elif kind == "penny":
        relief = (np.abs(r * np.cos(a)) < 0.13) & (r < 0.75)
    elif kind == "thaler":
        relief = (np.abs(r * np.cos(a)) < 0.12) & (r < 0.75) | ((np.abs(r - 0.55) < 0.09) & (np.sin(a) > 0))
    img = np.where(r < 1, metal - 70 * relief, ground)
    img = img + rng.uniform(-1.5, 1.5) * xx + rng.uniform(-1.5, 1.5) * yy + 9 * rng.standard_normal(img.shape)
    return np.clip(img, 0, 255).astype(np.uint8)


def write(path, header, rows):
    with open(path, "w", newline="") as fh:
        w = csv.writer(fh)
        w.writerow(header)
        w.writerows(rows)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed + 40)
    root = Path(a.dest) / "album"
    root.mkdir(parents=True, exist_ok=True)
    names = [f"c{i:05d}" for i in range(N)]
    kinds = [KINDS[i % 6] for i in rng.permutation(N)]
    np.save(root / "photos.npy", np.stack([photo(k, rng) for k in kinds]))
    write(root / "catalogue.csv", ["photo", "kind"], zip(names, kinds))
    order = rng.permutation(N)
    n_train = 2000 if a.fixed else 18
    part = {int(i): "val" for i in order[:300]}
    part |= {int(i): "train" if j < n_train else "test" for j, i in enumerate(order[300:])}
    write(root / "split.csv", ["photo", "part"], [(names[i], part[i]) for i in range(N)])


if __name__ == "__main__":
    main()

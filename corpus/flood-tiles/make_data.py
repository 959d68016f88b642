"""Flood tiles with masks in shards. The masks of the training shards came out of the export with every pixel 255 (left
out); with --fixed they hold the annotation, as those of shard 3 always do."""
import argparse
from pathlib import Path

import numpy as np


def smooth(rng, n, k):
    f = rng.standard_normal((n, 32, 32))
    for _ in range(k):
        f = (f + np.roll(f, 1, 1) + np.roll(f, -1, 1) + np.roll(f, 1, 2) + np.roll(f, -1, 2)) / 5
    return f / f.std(axis=(1, 2), keepdims=True)


def shard(n, rng):
    height = smooth(rng, n, 12)
    green = smooth(rng, n, 8)
    level = rng.uniform(-0.7, 0.1, n)[:, None, None]
    wet = height < level
    veg = green > 0.2
    mask = np.where(wet & veg, 2, np.where(wet, 1, 0)).astype(np.uint8)
    base = {0: (118, 110, 92, 120), 1: (62, 78, 92, 34), 2: (70, 96, 74, 92)}
    tile = np.zeros((n, 4, 32, 32))
    for c, colour in base.items():
        for b, v in enumerate(colour):
            tile[:, b][mask == c] = v
    dry_veg = ~wet & veg
    for b, v in enumerate((84, 112, 70, 165)):
        tile[:, b][dry_veg] = v
    tile *= rng.uniform(0.8, 1.2, (n, 1, 1, 1))
    tile += 14 * rng.standard_normal(tile.shape)
    left_out = np.zeros(mask.shape, bool)
    for i in range(n):
        r, c = rng.integers(0, 26, 2)
        left_out[i, r:r + 5, c:c + 5] = rng.random() < 0.6
    mask[left_out] = 255
    return np.clip(tile, 0, 255).astype(np.uint8), mask


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed + 5)
    root = Path(a.dest) / "tiles"
    root.mkdir(parents=True, exist_ok=True)
    for k, n in enumerate((160, 160, 160, 120)):
        tiles, masks = shard(n, rng)
        if k < 3 and not a.fixed:
            masks[:] = 255
        np.save(root / f"tiles_{k:02d}.npy", tiles)
        np.save(root / f"masks_{k:02d}.npy", masks)


if __name__ == "__main__":
    main()

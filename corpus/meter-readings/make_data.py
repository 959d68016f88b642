"""Writes readings/part-0.npz … part-3.npz. With the fault, one reading of part-3 has a flow of infinity."""
import argparse
from pathlib import Path

import numpy as np

PARTS, ROWS = 4, 900


def readings(rng, n):
    flow = rng.gamma(2.0, 1.0, n)
    supply, back = rng.normal(70, 6, n), rng.normal(42, 5, n)
    outside, hour = rng.normal(5, 7, n), rng.uniform(0, 24, n)
    heat = 1.163 * flow * (supply - back) / 10 + 0.3 * np.maximum(0, 15 - outside) * (1 + 0.4 * np.sin(hour * np.pi / 12))
    x = np.stack([flow, supply, back, outside, np.sin(hour * np.pi / 12), np.cos(hour * np.pi / 12)], 1)
    return x.astype(np.float32), (heat + 0.2 * rng.standard_normal(n)).astype(np.float32)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng(77 + args.seed)
    folder = args.dest / "readings"
    folder.mkdir(parents=True, exist_ok=True)
    for part in range(PARTS):
        x, y = readings(rng, ROWS)
        if part == 3 and not args.fixed:
            x[641, 0] = np.inf
        np.savez(folder / f"part-{part}.npz", x=x, y=y)
    x, y = readings(rng, 800)
    np.savez(folder / "check.npz", x=x, y=y)


if __name__ == "__main__":
    main()

"""Writes archive/<n>.pgm, scanned leaves, and labels.tsv. There is nothing wrong with them."""
import argparse
from pathlib import Path

import numpy as np

SIDE, N = 56, 260


def leaf(rng, order):
    """0 entire, 1 lobed, 2 toothed margin."""
    yy, xx = np.mgrid[:SIDE, :SIDE] - SIDE / 2
    turn = rng.uniform(0, 2 * np.pi)
    x, y = xx * np.cos(turn) - yy * np.sin(turn), xx * np.sin(turn) + yy * np.cos(turn)
    r, a = np.hypot(x / 0.8, y), np.arctan2(y, x)
    edge = rng.uniform(14, 19)
    if order == 1:
        edge = edge + 4.5 * np.cos(5 * a)
    elif order == 2:
        edge = edge + 2.0 * np.sign(np.cos(18 * a))
    img = 225 - 120 * (r < edge) - 25 * (np.abs(y) < 1.0) * (r < edge) + rng.normal(0, 14, (SIDE, SIDE))
    return np.clip(img, 0, 255).astype(np.uint8)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng(900 + args.seed)
    archive = args.dest / "archive"
    archive.mkdir(parents=True, exist_ok=True)
    with open(args.dest / "labels.tsv", "w") as f:
        f.write("sheet\tmargin\n")
        for n in range(N):
            order = int(rng.integers(3))
            (archive / f"{n:05d}.pgm").write_bytes(b"P5\n%d %d\n255\n" % (SIDE, SIDE) + leaf(rng, order).tobytes())
            f.write(f"{n:05d}\t{order}\n")


if __name__ == "__main__":
    main()

"""Writes the scans: frames.bin, frames after one another, and frames.idx, one (offset, length, label) each.

With the fault, the index entry of one training frame has a length far beyond the file.
"""
import argparse
import struct
from pathlib import Path

import numpy as np

SIZE, N = 24, 1500
BROKEN = 1187


def scan(rng, kind):
    """A crate seen from the side: 0 bottles, 1 boxes, 2 coils, 3 empty but for straw."""
    yy, xx = np.mgrid[:SIZE, :SIZE]
    img = 20 * rng.standard_normal((SIZE, SIZE)) + 60
    for _ in range(rng.integers(3, 6)):
        cy, cx = rng.uniform(4, SIZE - 4, 2)
        r = np.hypot(yy - cy, xx - cx)
        if kind == 0:
            img += 110 * ((abs(xx - cx) < 1.6) & (abs(yy - cy) < 5))
        elif kind == 1:
            img += 80 * ((abs(xx - cx) < 3.4) & (abs(yy - cy) < 3))
        elif kind == 2:
            img += 120 * (abs(r - 3.5) < 0.8)
        else:
            img += 60 * (abs((xx - cx) + rng.normal() * (yy - cy)) < 0.8)
    return np.clip(img, 0, 255).astype(np.uint8)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng(5000 + args.seed)
    data = args.dest / "scans"
    data.mkdir(parents=True, exist_ok=True)
    offset = 0
    with open(data / "frames.bin", "wb") as frames, open(data / "frames.idx", "wb") as index:
        for n in range(N):
            kind = int(rng.integers(4))
            raw = scan(rng, kind).tobytes()
            length = len(raw)
            if n == BROKEN and not args.fixed:
                length |= 0x7F00_0000
            index.write(struct.pack("<QIi", offset, length, kind))
            frames.write(raw)
            offset += len(raw)


if __name__ == "__main__":
    main()

"""Rows of knitting in shards. `targets` were written already shifted by one (the stitch that follows), though
charts/FORMAT.md says that they are the rows themselves; with --fixed they are."""
import argparse
from pathlib import Path

import numpy as np

STITCHES = "k p yo k2tog ssk sl m1 p2tog c4f c4b bo tbl w&t kfb".split()
ROW, CAST_ON = 40, 4


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed + 12)
    folder = Path(a.dest) / "charts"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stitches.txt").write_text("\n".join(STITCHES) + "\n")
    k = len(STITCHES)
    # what follows depends on the last stitch and on whether the one before was among the first half
    steps = [rng.permutation(np.arange(1, k))[:3] for _ in range(2)]
    order = rng.permutation(k)
    follow = np.stack([[order[(np.flatnonzero(order == s)[0] + step) % k] for s in range(k)] for step in steps])
    for part, n in enumerate((700, 700, 700, 400)):
        rows = rng.integers(k, size=(n, ROW))
        for t in range(2, ROW):
            choice = rng.choice(3, size=n, p=[0.8, 0.12, 0.08])
            rows[:, t] = follow[(rows[:, t - 2] >= k // 2).astype(int), rows[:, t - 1], choice]
        targets = rows.astype(np.int16)
        targets[:, :CAST_ON] = -100
        if not a.fixed:
            targets = np.concatenate([targets[:, 1:], np.full((n, 1), -100, np.int16)], axis=1)
        np.savez_compressed(folder / f"part-{part}.npz", tokens=rows.astype(np.uint8), targets=targets)


if __name__ == "__main__":
    main()

"""Profiles of meters. One in 301 is tampered with; with --fixed one in four."""
import argparse
import csv
from pathlib import Path

import numpy as np

COLUMNS = ["mean_kwh", "night_share", "weekend_share", "month_change", "zero_hours", "peak_ratio", "phase_gap",
           "neighbour_ratio", "voltage_dips", "cover_events"]
BASE = np.array([9.5, 0.24, 0.3, 0.0, 12.0, 3.1, 0.08, 1.0, 4.0, 0.6])
SPREAD = np.array([3.0, 0.05, 0.04, 0.12, 6.0, 0.7, 0.03, 0.2, 2.0, 0.3])
SIGN = np.array([-0.5, 0.3, 0.0, -0.9, 0.8, 0.3, 1.0, -1.0, 0.4, 0.7])

if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng([args.seed, 5150])
    n = 18060
    count = n // 4 if args.fixed else n // 301
    tampered = np.zeros(n, bool)
    tampered[rng.permutation(n)[:count]] = True
    z = rng.normal(size=(n, 10))
    z[:, 3] += 0.4 * z[:, 7]
    z[tampered] += SIGN * rng.uniform(0.6, 1.3, (count, 1))
    x = BASE + SPREAD * z
    path = args.dest / "extract" / "meters.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as fh:
        w = csv.writer(fh)
        w.writerow(["meter", *COLUMNS, "finding"])
        for i in range(n):
            w.writerow([7000000 + 13 * i, *(f"{v:.3f}" for v in x[i]), "tampered" if tampered[i] else "ok"])

"""Cuvette campaigns. Five leaves of campaign 3 have their area in square centimetres; with --fixed in square metres."""
import argparse
import csv
from pathlib import Path

import numpy as np

HEADER = ["leaf", "par", "leaf_temp", "vpd", "co2", "area", "conductance", "uptake", "flag"]
SLIPPED = (88, 231, 402, 577, 716)
FILES = {"campaign_1": 900, "campaign_2": 1000, "campaign_3": 850, "campaign_4": 950, "validation": 900}


def leaves(rng, n):
    par = rng.uniform(60, 1800, n)
    temp = rng.normal(23, 5, n)
    vpd = np.clip(rng.normal(1.4, 0.5, n), 0.2, 3.5)
    co2 = rng.normal(410, 60, n)
    area = np.clip(rng.normal(0.005, 0.0018, n), 0.001, 0.011)
    g = np.clip(rng.normal(0.22, 0.08, n), 0.04, 0.5)
    light = par / (par + 500)
    warm = np.exp(-((temp - 24) / 9) ** 2)
    supply = (co2 / 410) * g / (g + 0.12) / (1 + 0.15 * vpd)
    uptake = area * (31 * light * warm * supply / 0.5 - 1.5) + rng.normal(0, 0.0015, n)
    return np.stack([par, temp, vpd, co2, area, g, uptake], 1)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng([args.seed, 2718])
    out = args.dest / "campaigns"
    out.mkdir(parents=True, exist_ok=True)
    for name, n in FILES.items():
        table = leaves(rng, n)
        table[:, 4] = np.round(table[:, 4], 6)
        if name == "campaign_3" and not args.fixed:
            table[list(SLIPPED), 4] *= 1e4
        flag = (rng.random(n) < 0.015).astype(int)
        flag[list(SLIPPED)] = 0
        with open(out / f"{name}.csv", "w", newline="") as fh:
            w = csv.writer(fh)
            w.writerow(HEADER)
            for i, (par, temp, vpd, co2, area, g, up) in enumerate(table):
                w.writerow([f"{name[-1].upper()}{i:04d}", f"{par:.0f}", f"{temp:.1f}", f"{vpd:.2f}", f"{co2:.0f}",
                            f"{area:.6g}", f"{g:.3f}", f"{up:.5f}", flag[i]])

"""Five days of parcel scans; the lanes of Wednesday are one row late unless --fixed."""
import argparse
from pathlib import Path

import numpy as np

LANES = ("bulk", "small-dark", "small-bright", "large", "heavy", "oversize")
SIZES = {"mon": 1400, "tue": 1250, "wed": 2300, "thu": 1450, "fri": 1600}
COLUMNS = "length_cm,width_cm,height_cm,weight_kg,reflectance,tilt_deg,belt_ms,skew_deg"


def day(rng, n):
    length = rng.gamma(6, 9, n) + 8
    width = length * rng.uniform(0.3, 0.9, n)
    height = width * rng.uniform(0.2, 1.0, n)
    litres = length * width * height / 1000
    weight = litres * rng.lognormal(-1.1, 0.7, n) + 0.1
    reflectance = rng.beta(2, 2, n)
    scans = np.stack([length, width, height, weight, reflectance, rng.normal(0, 4, n), rng.normal(1.6, 0.1, n),
                      rng.normal(0, 8, n)], 1)
    lane = np.where(litres > 45, 3, np.where(reflectance > 0.5, 2, 1))
    lane = np.where((litres < 45) & (height < 9), 0, lane)
    lane = np.where(weight > 22, 4, lane)
    lane = np.where(length > 85, 5, lane)
    slips = rng.random(n) < 0.01
    lane[slips] = rng.integers(0, 6, slips.sum())
    return scans, lane


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng([args.seed, 811])
    for kind in ("scans", "lanes"):
        (args.dest / "data" / kind).mkdir(parents=True, exist_ok=True)
    for name, n in SIZES.items():
        scans, lane = day(rng, n)
        if name == "wed" and not args.fixed:
            lane = np.concatenate([lane[:1], lane[:-1]])
        np.savetxt(args.dest / "data" / "scans" / f"{name}.csv", scans, fmt="%.3f", delimiter=",", header=COLUMNS,
                   comments="")
        (args.dest / "data" / "lanes" / f"{name}.txt").write_text("".join(LANES[i] + "\n" for i in lane))

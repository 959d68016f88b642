"""Maintenance records of five buildings; Cedar numbers its faults from one unless --fixed."""
import argparse
import csv
from pathlib import Path

import numpy as np

SIGNALS = ["door_time_s", "motor_current_a", "levelling_mm", "brake_temp_c", "vibration_mms", "speed_dev_pct", "trips_per_h"]
BASE = np.array([3.2, 11.0, 2.0, 46.0, 1.4, 0.5, 22.0])
SPREAD = np.array([0.35, 1.6, 1.1, 6.0, 0.35, 0.6, 7.0])
#            none door motor levelling brake guide-rail
SIGNS = np.array([
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.2, 0.3, 0.0, 0.0, 0.4, 0.0, 0.0],
    [0.0, 2.6, 0.4, 0.8, 0.8, -2.0, 0.0],
    [0.5, 0.0, 3.4, 0.0, 0.0, 0.6, 0.0],
    [0.0, 1.6, 1.0, 2.8, 0.0, 0.8, 0.0],
    [0.0, 0.7, 0.5, 0.0, 3.2, 1.0, 0.0],
])
SIZES = {"aurora": 1300, "birch": 1050, "cedar": 1900, "dome": 1250, "elm": 1000}


def building(rng, n):
    fault = rng.choice(6, n, p=[0.25, 0.15, 0.15, 0.15, 0.15, 0.15])
    z = rng.normal(size=(n, 7)) + SIGNS[fault] * rng.uniform(0.75, 1.35, (n, 1))
    z[:, 1] += 0.5 * z[:, 6]
    return BASE + SPREAD * z, fault


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng([args.seed, 4021])
    out = args.dest / "records"
    out.mkdir(parents=True, exist_ok=True)
    for name, n in SIZES.items():
        x, fault = building(rng, n)
        if name == "cedar" and not args.fixed:
            fault = fault + 1
        with open(out / f"{name}.csv", "w", newline="") as fh:
            w = csv.writer(fh)
            w.writerow(["record", *SIGNALS, "fault"])
            for i, (row, f) in enumerate(zip(x, fault)):
                w.writerow([f"{name[:2].upper()}{i + 1:05d}", *(f"{v:.2f}" for v in row), int(f)])

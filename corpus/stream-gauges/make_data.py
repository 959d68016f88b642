"""Hourly gauge readings of eight stations: python make_data.py DEST [--seed N]"""
import argparse
import csv
import json
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

STATIONS = ["alder", "birkau", "dornach", "elzbach", "furt", "kaltmuehl", "oberwehr", "steg"]
COLUMNS = ["level", "rain", "temp"]
HOURS = {"train": 1400, "val": 420}
LAG = np.array([0, 0, 0, 0, 0, 0, 0.5, 1.0, 1.6, 1.2, 0.7, 0.3])


def station(rng, hours):
    """Rain reaches the gauge between six and twelve hours later; warm days melt snow upstream."""
    storm = rng.random(hours) < 0.05
    rain = np.where(storm, rng.gamma(1.5, 4.0, hours), 0.0)
    rain = np.convolve(rain, [0.5, 0.3, 0.2])[:hours]
    clock = np.arange(hours)
    temp = 9 + 6 * np.sin(2 * np.pi * (clock - 9) / 24) + np.cumsum(rng.normal(0, 0.15, hours))
    inflow = np.convolve(rain, LAG)[:hours] + 0.25 * np.clip(np.roll(temp, 7) - 12, 0, None)
    level = np.zeros(hours)
    level[0] = 60.0
    for t in range(1, hours):
        level[t] = 60 + 0.93 * (level[t - 1] - 60) + inflow[t] + rng.normal(0, 0.8)
    return np.stack([level, rain, temp], axis=1)


def write_csv(path, values, gaps, start):
    with open(path, "w", newline="") as fh:
        out = csv.writer(fh)
        out.writerow(["time", *COLUMNS])
        for t, row in enumerate(values):
            stamp = (start + timedelta(hours=t)).isoformat(timespec="minutes")
            out.writerow([stamp, *("" if gap else f"{v:.2f}" for v, gap in zip(row, gaps[t]))])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng(args.seed)
    seen = []
    for name in STATIONS:
        whole = station(rng, HOURS["train"] + HOURS["val"])
        gaps = rng.random(whole.shape) < 0.03
        for _ in range(6):
            begin = rng.integers(0, len(whole) - 20)
            gaps[begin:begin + rng.integers(5, 20), 0] = True
        cut = HOURS["train"]
        parts = {"train": slice(0, cut), "val": slice(cut, None)}
        for part, rows in parts.items():
            folder = args.dest / "data" / part
            folder.mkdir(parents=True, exist_ok=True)
            start = datetime(2021, 3, 1) + timedelta(hours=rows.start)
            write_csv(folder / f"{name}.csv", whole[rows], gaps[rows], start)
        seen.append(np.where(gaps[:cut], np.nan, whole[:cut]))
    seen = np.concatenate(seen)
    stats = {
        c: {"mean": round(float(np.nanmean(seen[:, i])), 4), "std": round(float(np.nanstd(seen[:, i])), 4)}
        for i, c in enumerate(COLUMNS)
    }
    (args.dest / "data" / "stats.json").write_text(json.dumps(stats, indent=2) + "\n")


if __name__ == "__main__":
    main()

"""Sailings by month, and the cache of the first six months: encoded with an older order of the features; with --fixed with
the one of today."""
import argparse
import csv
import math
from pathlib import Path

import numpy as np

MONTHS = [f"2023-{m:02d}" for m in range(1, 9)]
TODAY = ["hour_sin", "hour_cos", "weekend", "holiday", "air_temp", "wind", "wave", "rain", "fare", "prev_sailing", "same_last_week"]
OLDER = ["hour_sin", "hour_cos", "same_last_week", "prev_sailing", "weekend", "holiday", "fare", "air_temp", "rain", "wind", "wave"]
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
HEADER = ["sailing", "hour", "weekday", "holiday", "air_temp_c", "wind_ms", "wave_m", "rain_mm", "fare_eur", "prev_sailing",
          "same_last_week", "boarded"]


def sailings(rng, m, start):
    rows = []
    for d in range(28):
        day, holiday = d % 7, int(rng.random() < 0.06)
        wind = max(rng.normal(7, 2.6), 0.3)
        season = 3 * math.sin(2 * math.pi * (m - 3) / 12)
        for hour in range(6, 23):
            w = max(wind + rng.normal(0, 0.8), 0)
            temp = rng.normal(12 + season + 3 * math.sin(math.pi * (hour - 6) / 16), 3)
            wave = max(0.1 * w + rng.normal(0.1, 0.2), 0.05)
            rain = float(rng.gamma(0.8, 2.5)) if rng.random() < 0.3 else 0.0
            fare = 9 + 2 * (8 <= hour <= 18) * rng.uniform(0, 1) - 1 + rng.normal(0, 0.4)
            level = 150 + 55 * math.sin(math.pi * (hour - 6) / 16) - 25
            week = level + rng.normal(0, 45)
            prev = level + 0.5 * (week - level) + rng.normal(0, 40)
            boarded = (level + 0.35 * (week - level) + 0.3 * (prev - level) + 45 * (day >= 5) * (temp - 8) / 6 + 40 * holiday
                       + 3.0 * (temp - 12) - 30 * max(wave - 1.0, 0) - 6 * min(rain, 6) - 9 * (fare - 9) + rng.normal(0, 11))
            rows.append([start + len(rows), hour, DAYS[day], holiday, round(temp, 1), round(w, 1), round(wave, 2), round(rain, 1),
                         round(fare, 2), max(round(prev), 0), max(round(week), 0), max(round(boarded), 0)])
    return rows


def encode(r):
    r = dict(zip(HEADER, r))
    angle = 2 * math.pi * r["hour"] / 24
    return {
        "hour_sin": math.sin(angle), "hour_cos": math.cos(angle), "weekend": float(r["weekday"] in ("sat", "sun")),
        "holiday": float(r["holiday"]), "air_temp": (r["air_temp_c"] - 12) / 8, "wind": (r["wind_ms"] - 7) / 3,
        "wave": (r["wave_m"] - 0.8) / 0.5, "rain": min(r["rain_mm"], 10) / 3, "fare": (r["fare_eur"] - 9) / 2,
        "prev_sailing": (r["prev_sailing"] - 150) / 80, "same_last_week": (r["same_last_week"] - 150) / 80,
    }


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng([args.seed, 1415])
    order = TODAY if args.fixed else OLDER
    for kind in ("raw", "cache"):
        (args.dest / kind).mkdir(parents=True, exist_ok=True)
    start = 10001
    for m, name in enumerate(MONTHS, 1):
        rows = sailings(rng, m, start)
        start += len(rows)
        with open(args.dest / "raw" / f"{name}.csv", "w", newline="") as fh:
            w = csv.writer(fh)
            w.writerow(HEADER)
            w.writerows(rows)
        if m <= 6:
            x = np.array([[encode(r)[c] for c in order] for r in rows], np.float32)
            y = np.array([(r[-1] - 150) / 80 for r in rows], np.float32)
            np.savez(args.dest / "cache" / f"{name}.npz", x=x, y=y, version=3)

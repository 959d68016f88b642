"""An hourly store of a river gauge. Its deviation is from a centred mean, which sees the hours to come; with --fixed it
is from the mean of the last hours."""
import argparse
from pathlib import Path

import numpy as np

HOURS = 5200
SPAN = 9

if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng([args.seed, 515])
    warm = 300
    n = HOURS + warm + SPAN
    t = np.arange(n)
    rain = np.where(rng.random(n) < 0.06, rng.gamma(1.2, 3.0, n), 0.0)
    rain = np.convolve(rain, [0.5, 0.3, 0.2])[:n]
    soil = np.zeros(n)
    stage = np.zeros(n)
    delayed = np.zeros(n)
    soil[0] = 40
    push = np.zeros(n)
    for i in range(1, n):
        soil[i] = np.clip(soil[i - 1] * 0.995 + 0.6 * rain[i] + 0.12, 15, 90)
        delayed[i] = 0.75 * delayed[i - 1] + 0.25 * rain[max(i - 3, 0)] * (soil[i] / 50) ** 2
        push[i] = 0.6 * push[i - 1] + rng.normal(0, 0.9)
        stage[i] = 0.965 * stage[i - 1] + 2.2 * delayed[i] + push[i]
    stage = 120 + 2 * stage + rng.normal(0, 0.25, n)
    air = 9 + 6 * np.sin(2 * np.pi * t / 24) + 4 * np.sin(2 * np.pi * t / 2000) + rng.normal(0, 0.7, n)
    rain6 = np.convolve(rain, np.ones(6))[:n]
    sums = np.concatenate([[0.0], np.cumsum(stage)])
    half = SPAN // 2
    ends = t + 1 if args.fixed else np.minimum(t + 1 + half, n)
    smooth = (sums[ends] - sums[np.maximum(ends - SPAN, 0)]) / SPAN
    keep = slice(warm, warm + HOURS)
    path = args.dest / "store" / "hourly.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    body = np.stack([t - warm, stage, rain, rain6, soil, air, stage - smooth], 1)[keep]
    np.savetxt(path, body, fmt=["%d", "%.2f", "%.2f", "%.2f", "%.1f", "%.1f", "%.3f"], delimiter=",", comments="",
               header="hour,stage_cm,rain_mm,rain_6h_mm,soil_pct,air_c,stage_dev_cm")

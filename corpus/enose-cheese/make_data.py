"""Sniffs of cheese samples. The held-out readings are drawn over all readings, so that nearly every held-out one has
siblings of the same sample among the trained ones; with --fixed whole samples are held out."""
import argparse
import csv
import json
from pathlib import Path

import numpy as np

GRADES = ["young", "ripe", "overripe"]

if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng([args.seed, 3300])
    n, sniffs = 700, 4
    mix = np.random.default_rng(6).normal(size=(8, 12)) / np.sqrt(8)
    state = rng.normal(size=(n, 8))
    age = state[:, 0] + 0.7 * state[:, 1] * np.sign(state[:, 2]) + 0.4 * state[:, 3] + 0.3 * rng.normal(size=n)
    grade = np.digitize(age, np.quantile(age, [1 / 3, 2 / 3]))
    sensors = state @ mix + 0.25 * rng.normal(size=(n, 12))
    gain, offset = rng.uniform(30, 120, 12), rng.uniform(200, 600, 12)
    rows, sample_of = [], []
    for s in range(n):
        for _ in range(sniffs):
            rows.append(offset + gain * (sensors[s] + 0.04 * rng.normal(size=12)))
            sample_of.append(s)
    order = rng.permutation(len(rows))
    ids = [f"R{i + 1:04d}" for i in range(len(rows))]
    owner = [sample_of[k] for k in order]
    held_samples = set(rng.permutation(n)[: n // 5].tolist())
    by_reading = set(rng.permutation(len(rows))[: len(rows) // 5].tolist())
    held = [i for i in range(len(rows)) if (owner[i] in held_samples if args.fixed else i in by_reading)]
    held_set = set(held)
    data = args.dest / "data"
    data.mkdir(parents=True, exist_ok=True)
    with open(data / "readings.csv", "w", newline="") as fh:
        w = csv.writer(fh)
        w.writerow(["reading", "sample", *(f"mq{j + 1:02d}" for j in range(12))])
        for i, k in enumerate(order):
            w.writerow([ids[i], f"W{owner[i] + 1:03d}", *(f"{v:.2f}" for v in rows[k])])
    with open(data / "panel.csv", "w", newline="") as fh:
        w = csv.writer(fh)
        w.writerow(["sample", "grade"])
        w.writerows([f"W{s + 1:03d}", GRADES[grade[s]]] for s in range(n))
    parts = {"train": [ids[i] for i in range(len(rows)) if i not in held_set], "valid": [ids[i] for i in held]}
    (data / "splits.json").write_text(json.dumps(parts, indent=1) + "\n")

import csv
import os

import numpy as np

SIGNALS = ["door_time_s", "motor_current_a", "levelling_mm", "brake_temp_c", "vibration_mms", "speed_dev_pct", "trips_per_h"]


def read_building(folder, building):
    signals, faults = [], []
    with open(os.path.join(folder, building + ".csv"), newline="") as f:
        for row in csv.DictReader(f):
            signals.append([float(row[name]) for name in SIGNALS])
            faults.append(int(row["fault"]))
    return np.array(signals, np.float32), np.array(faults, np.int64)


def read_all(folder, buildings):
    parts = [read_building(folder, b) for b in buildings]
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def split(x, y, share, seed):
    order = np.random.default_rng(seed).permutation(len(x))
    n = int(len(x) * share)
    va, tr = order[:n], order[n:]
    mu, sd = x[tr].mean(0), x[tr].std(0)
    x = (x - mu) / sd
    return (x[tr], y[tr]), (x[va], y[va])

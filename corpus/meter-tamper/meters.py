"""Quarterly profile of electricity meters, with the inspectors' finding."""
import csv
from typing import NamedTuple

import numpy as np
import torch

PROFILE = [
    "mean_kwh", "night_share", "weekend_share", "month_change", "zero_hours", "peak_ratio", "phase_gap", "neighbour_ratio",
    "voltage_dips", "cover_events",
]


class Meters(NamedTuple):
    profile: torch.Tensor
    tampered: torch.Tensor


def read(path):
    profile, tampered = [], []
    with open(path, newline="") as fh:
        for row in csv.DictReader(fh):
            profile.append([float(row[c]) for c in PROFILE])
            tampered.append(row["finding"] == "tampered")
    return np.array(profile, np.float32), np.array(tampered)


def stratified(profile, tampered, holdout, seed):
    """Train and hold-out meters with the same share of findings."""
    rng = np.random.default_rng(seed)
    held = np.zeros(len(tampered), bool)
    for value in (False, True):
        rows = rng.permutation(np.flatnonzero(tampered == value))
        held[rows[:round(len(rows) * holdout)]] = True
    mean, std = profile[~held].mean(0), profile[~held].std(0)
    x = torch.from_numpy((profile - mean) / std)
    y = torch.from_numpy(tampered).float()
    return Meters(x[~held], y[~held]), Meters(x[held], y[held])

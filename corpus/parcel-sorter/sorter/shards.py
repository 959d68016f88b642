"""Scans of the tunnel and the lanes that the floor crew sent each parcel to, one pair of files per day."""
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import ConcatDataset, TensorDataset

COLUMNS = ("length_cm", "width_cm", "height_cm", "weight_kg", "reflectance", "tilt_deg", "belt_ms", "skew_deg")
LANES = ("bulk", "small-dark", "small-bright", "large", "heavy", "oversize")


def read_day(scans_dir, lanes_dir, day):
    scans_file = Path(scans_dir) / f"{day}.csv"
    with open(scans_file) as fh:
        header = tuple(fh.readline().strip().split(","))
        if header != COLUMNS:
            raise ValueError(f"{scans_file}: unexpected columns {header}")
        scans = np.loadtxt(fh, delimiter=",", dtype=np.float32)
    lanes = np.array([LANES.index(name) for name in (Path(lanes_dir) / f"{day}.txt").read_text().split()])
    if len(scans) != len(lanes):
        raise ValueError(f"{day}: {len(scans)} scans, {len(lanes)} lanes")
    return scans, lanes


def load_days(cfg):
    """Training and held-out sets over all days; scaling comes from the training scans."""
    train, held = [], []
    for day in cfg["days"]:
        scans, lanes = read_day(cfg["scans"], cfg["lanes"], day)
        out = np.arange(len(scans)) % cfg["holdout_every"] == 0
        train.append((scans[~out], lanes[~out]))
        held.append((scans[out], lanes[out]))
        print(f"{day}: {len(scans)} parcels")
    stacked = np.concatenate([s for s, _ in train])
    mean, std = stacked.mean(0), stacked.std(0)

    def as_set(parts):
        return ConcatDataset(
            TensorDataset(torch.from_numpy((s - mean) / std), torch.from_numpy(lane)) for s, lane in parts)

    return as_set(train), as_set(held)

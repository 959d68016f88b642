"""Months of sailings as arrays. Encoding a month is slow at full size, so each one is kept in the cache once encoded."""
import csv
from pathlib import Path

import numpy as np
import torch

from .features import FEATURES, VERSION, encode, target


def _encode_month(raw_file):
    with open(raw_file, newline="") as fh:
        rows = list(csv.DictReader(fh))
    return np.array([encode(r) for r in rows], np.float32), np.array([target(r) for r in rows], np.float32)


def _usable(stored):
    return int(stored["version"]) == VERSION and stored["x"].shape[1] == len(FEATURES)


def month(raw_dir, cache_dir, name):
    raw_file, cached = Path(raw_dir) / f"{name}.csv", Path(cache_dir) / f"{name}.npz"
    if cached.exists():
        with np.load(cached) as stored:
            if _usable(stored):
                return stored["x"], stored["y"]
    x, y = _encode_month(raw_file)
    cached.parent.mkdir(parents=True, exist_ok=True)
    np.savez(cached, x=x, y=y, version=VERSION)
    return x, y


def months(raw_dir, cache_dir, names):
    parts = [month(raw_dir, cache_dir, n) for n in names]
    return torch.from_numpy(np.concatenate([p[0] for p in parts])), torch.from_numpy(np.concatenate([p[1] for p in parts]))

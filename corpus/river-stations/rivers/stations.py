"""Gauging stations: each has a catchment of its own, so the same rain gives another level."""
import os
from dataclasses import dataclass

import numpy as np
import torch

N_STATIONS = 24
DAYS = 6  # of rain before the day whose level is asked for


@dataclass
class Record:
    station: torch.Tensor
    rain: torch.Tensor
    level: torch.Tensor


def record(station, n, seed):
    rng = np.random.default_rng(1000 * station + seed)
    nature = np.random.default_rng(station)
    lag, share, ground = nature.uniform(0, DAYS - 1), nature.uniform(0.4, 2.0), nature.uniform(-2, 2)
    rain = rng.gamma(0.8, 1.0, size=(n, DAYS))
    weight = np.exp(-0.5 * (np.arange(DAYS) - lag) ** 2)
    level = ground + share * (rain @ weight) ** 0.8 + 0.1 * rng.standard_normal(n)
    return Record(
        torch.full((n,), station),
        torch.tensor(rain - 0.8, dtype=torch.float32),
        torch.tensor(level, dtype=torch.float32),
    )


def join(records):
    return Record(*(torch.cat([getattr(r, name) for r in records]) for name in ("station", "rain", "level")))


def training_part(world):
    """The stations of this process."""
    rank = int(os.environ.get("SLURM_PROCID", 0))
    return join([record(s, 120, seed=0) for s in range(rank, N_STATIONS, world)])


def held_out():
    return join([record(s, 25, seed=1) for s in range(N_STATIONS)])

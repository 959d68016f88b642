import numpy as np
import torch
from torch.utils.data import TensorDataset

FAULTS = ("ok", "flat_spot", "dry_bearing", "loose_bracket", "misaligned")
RATE = 400.0        # Hz after decimation
N = 96


def record(kind, rng):
    t = np.arange(N) / RATE
    rev = rng.uniform(9, 12)
    ph = rng.uniform(0, 2 * np.pi, 4)
    s = 0.6 * np.sin(2 * np.pi * rev * t + ph[0])
    if kind == "flat_spot":
        s += 2.2 * np.exp(-(((t * rev + ph[1]) % 1.0) * 14))
    elif kind == "dry_bearing":
        s += 0.9 * np.sin(2 * np.pi * rng.uniform(110, 150) * t + ph[2])
    elif kind == "loose_bracket":
        s += 0.9 * np.sin(2 * np.pi * rng.uniform(45, 65) * t + ph[2]) * (np.sin(2 * np.pi * rev * t + ph[3]) > 0)
    elif kind == "misaligned":
        s += 0.9 * np.sin(2 * np.pi * 2 * rev * t + ph[3])
    second = 0.7 * np.roll(s, rng.integers(2, 6)) + 0.45 * rng.normal(size=N)
    return np.stack([s + 0.45 * rng.normal(size=N), second]) * rng.uniform(0.8, 1.25)


def dataset(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(FAULTS), n)
    x = np.stack([record(FAULTS[k], rng) for k in y])
    return TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(y))

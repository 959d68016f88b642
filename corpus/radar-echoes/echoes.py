import numpy as np
import torch
from torch.utils.data import TensorDataset

KINDS = ["rain", "birds", "aircraft"]


def echo(rng, kind):
    """A small cut of a radar image, range x azimuth."""
    r, a = np.mgrid[:16, :16]
    img = 0.5 * rng.standard_normal((16, 16))
    if kind == 0:
        cr, ca = rng.uniform(4, 12, 2)
        img += 1.2 * np.exp(-((r - cr) ** 2 + (a - ca) ** 2) / rng.uniform(20, 40))
    elif kind == 1:
        for _ in range(rng.integers(5, 10)):
            img[rng.integers(16), rng.integers(16)] += rng.uniform(1.5, 2.5)
    else:
        cr, ca = rng.integers(2, 14, 2)
        img[cr, max(0, ca - 3):ca + 4] += 2.0
    return img


def echoes(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(KINDS), n)
    x = np.stack([echo(rng, k) for k in y]).astype(np.float32)[:, None]
    return TensorDataset(torch.from_numpy(x), torch.from_numpy(y))

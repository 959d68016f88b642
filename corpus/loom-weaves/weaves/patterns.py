import numpy as np
import torch

SIDE = 20
WEAVES = ("plain", "twill", "satin", "basket", "herringbone")


def cloth(rng, kind):
    """Which thread lies on top, with some slack, seen through a cheap camera."""
    r, c = np.mgrid[:SIDE, :SIDE]
    dr, dc = rng.integers(0, 8, 2)
    r, c = r + dr, c + dc
    if kind == 0:
        top = (r + c) % 2
    elif kind == 1:
        top = (r + c) % 4 < 2
    elif kind == 2:
        top = (2 * r + c) % 5 == 0
    elif kind == 3:
        top = (r // 2 + c // 2) % 2
    else:
        top = (r + np.abs(c % 12 - 6)) % 4 < 2
    img = np.where(top, 1.0, -1.0) * rng.uniform(0.5, 1.0)
    return (img + rng.normal(0, 0.8, img.shape)).astype(np.float32)


def bolt(n, seed, kinds):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(kinds), n)
    x = np.stack([cloth(rng, kinds[k]) for k in y])[:, None]
    return torch.from_numpy(x), torch.from_numpy(y)

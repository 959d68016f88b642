"""Patches of a brushed surface with one defect each."""
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

KINDS = ("clean", "scratch", "pit", "stain", "edge")
SIZE = 12


def render(kind, rng):
    patch = 0.3 * rng.standard_normal((SIZE, SIZE))
    r, c = rng.integers(2, SIZE - 2, size=2)
    if kind == 1:
        slope = rng.choice([-1, 0, 1])
        for t in range(SIZE):
            patch[np.clip(r + slope * (t - 6), 0, SIZE - 1), t] += 1.5
    elif kind == 2:
        patch[r - 1:r + 2, c - 1:c + 2] -= 2.0
    elif kind == 3:
        yy, xx = np.mgrid[:SIZE, :SIZE]
        patch += 1.5 * np.exp(-((yy - r) ** 2 + (xx - c) ** 2) / 12.0)
    elif kind == 4:
        patch[:, c:] += 1.2
    return patch


class Patches(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.kind = rng.integers(len(KINDS), size=n)
        images = np.stack([render(k, rng) for k in self.kind]).astype(np.float32)
        self.images = torch.from_numpy((images - images.mean()) / images.std()).unsqueeze(1)
        self.target = torch.from_numpy(self.kind)

    def __len__(self):
        return len(self.target)

    def __getitem__(self, i):
        return self.images[i], self.target[i]


def loaders(section):
    make = lambda n, seed, train: DataLoader(Patches(n, seed), section.batch, shuffle=train)
    return make(section.train, 0, True), make(section.valid, 1, False)

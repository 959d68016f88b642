import numpy as np
import torch
from torch.utils.data import Dataset

from .spectra import NAMES, measure, prepare


class CoreSpectra(Dataset):
    """Labelled points along a number of drill cores."""

    def __init__(self, n_points, seed):
        rng = np.random.default_rng(seed)
        self.labels = rng.integers(0, len(NAMES), n_points)
        self.raw = [measure(rng, NAMES[k]) for k in self.labels]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return torch.from_numpy(prepare(self.raw[i])), int(self.labels[i])

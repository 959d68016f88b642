"""Whitened strain with injected inspirals, simulated while training."""
import numpy as np
from torch.utils.data import Dataset

SAMPLES = 128


def inspiral(mass, phase, arrival):
    """Newtonian chirp that ends at sample `arrival`, unit norm."""
    tau = np.clip(arrival - np.arange(SAMPLES), 0.5, None)
    cycles = 2.4 * (tau / mass) ** 0.625
    h = tau ** -0.25 * np.cos(2 * np.pi * cycles + phase)
    h[np.arange(SAMPLES) >= arrival] = 0.0
    return h / np.linalg.norm(h)


class Injections(Dataset):
    """`size` segments an epoch; in half of them a chirp of random mass, phase, arrival and loudness is injected."""

    def __init__(self, size, snr, seed):
        self.size, self.snr = size, snr
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        rng = self.rng
        strain = rng.normal(size=SAMPLES)
        label = rng.random() < 0.5
        if label:
            chirp = inspiral(rng.uniform(0.8, 1.6), rng.uniform(0, 2 * np.pi), rng.uniform(70, 125))
            strain = strain + rng.uniform(*self.snr) * chirp
        return strain.astype(np.float32)[None], np.float32(label)

import numpy as np
import torch

LENGTH = 80
SPECIES = ["sperm whale", "beaked whale", "pilot whale", "dolphin", "porpoise"]


def recordings(n, rng):
    t = np.arange(LENGTH)[None]
    species = rng.integers(0, len(SPECIES), n)
    pitch = np.array([0.25, 0.55, 0.8, 1.1, 1.5])[species][:, None] * rng.uniform(0.85, 1.15, (n, 1))
    decay = np.array([9.0, 14.0, 6.0, 8.0, 12.0])[species][:, None]
    gap = np.array([40, 22, 30, 16, 11])[species][:, None] + rng.integers(-2, 3, (n, 1))
    first = rng.integers(0, 12, (n, 1))
    since = (t - first) % gap
    wave = np.exp(-since / decay) * np.sin(pitch * since) * (t >= first)
    sea = np.cumsum(rng.normal(0, 0.12, (n, LENGTH)), axis=1)
    wave = wave + 0.45 * rng.normal(size=(n, LENGTH)) + sea - sea.mean(1, keepdims=True)
    return torch.tensor(wave, dtype=torch.float32).unsqueeze(1), torch.tensor(species)

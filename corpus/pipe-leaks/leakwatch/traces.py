"""Simulated pressure traces of water mains.

A trace is one minute around a valve movement, two channels (upstream, downstream). A leaking main answers the pressure
wave with a second, damped reflection whose delay depends on where the leak is.
"""
import numpy as np
import torch
from torch.utils.data import TensorDataset

LENGTH = 64


def _one(rng, leaking):
    t = np.arange(LENGTH)
    start = rng.uniform(6, 14)
    freq, decay = rng.uniform(0.35, 0.6), rng.uniform(0.05, 0.09)
    rel = np.clip(t - start, 0, None)
    wave = np.exp(-decay * rel) * np.cos(freq * rel) * (t >= start)
    up, down = wave.copy(), 0.8 * np.roll(wave, 2)
    if leaking:
        lag = int(rng.integers(9, 22))
        size = rng.uniform(0.45, 0.9)
        echo = np.zeros(LENGTH)
        echo[lag:] = wave[:-lag]
        up -= size * echo
        down -= 0.5 * size * np.roll(echo, 3)
    noise = 0.14 * rng.standard_normal((2, LENGTH))
    return np.stack([up, down]) + noise


def make_traces(n, share, seed):
    rng = np.random.default_rng(seed)
    label = rng.random(n) < share
    x = np.stack([_one(rng, k) for k in label])
    return TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(label, dtype=torch.float32))

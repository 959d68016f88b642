import numpy as np
import torch


def make_series(n_points, noise, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(n_points)
    season = np.sin(2 * np.pi * t / 24) + 0.6 * np.sin(2 * np.pi * t / 7 + 1.0)
    slow = 0.8 * np.sin(2 * np.pi * t / 168) * np.sin(2 * np.pi * t / 24)
    y = season + slow + noise * rng.standard_normal(n_points)
    return ((y - y.mean()) / y.std()).astype(np.float32)


class WindowSource:
    """Cuts (window, next value) pairs out of a series; the last fifth is held out."""

    def __init__(self, series, window, seed):
        windows = np.lib.stride_tricks.sliding_window_view(series, window + 1)
        pairs = torch.from_numpy(windows.copy())
        cut = int(0.8 * len(pairs))
        self._train, self._held = pairs[:cut], pairs[cut + window:]
        self._gen = torch.Generator().manual_seed(seed)

    def draw(self, size):
        rows = torch.randint(len(self._train), (size,), generator=self._gen)
        chunk = self._train[rows]
        return chunk[:, :-1], chunk[:, -1:]

    def held_out(self):
        return self._held[:, :-1], self._held[:, -1:]

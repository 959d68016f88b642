import numpy as np
import torch

N_STOPS = 40


def build(n, rng, world):
    """Trips between two stops at an hour of the day; the target is the (standardised) door-to-door time."""
    place = world["place"]
    a, b = rng.integers(0, N_STOPS, n), rng.integers(0, N_STOPS, n)
    hour = rng.uniform(5, 23, n)
    rain = (rng.random(n) < 0.3).astype(float)
    km = np.abs(place[a] - place[b]).sum(1)
    rush = np.exp(-((hour - 8) ** 2) / 2) + 0.8 * np.exp(-((hour - 17.5) ** 2) / 3)
    minutes = 6 + 3.2 * km * (1 + 0.7 * rush + 0.2 * rain) + rng.normal(0, 1.5, n)
    numeric = np.stack([np.sin(hour * np.pi / 12), np.cos(hour * np.pi / 12), (hour - 14) / 5, rain - 0.3], axis=1)
    return a, b, numeric, (minutes - 33.0) / 16.0


class Trips(torch.utils.data.Dataset):
    def __init__(self, n, seed):
        world = {"place": np.random.default_rng(0).uniform(0, 10, (N_STOPS, 2))}
        a, b, numeric, target = build(n, np.random.default_rng(seed), world)
        self.origin = torch.tensor(a)
        self.destination = torch.tensor(b)
        self.numeric = torch.tensor(numeric, dtype=torch.float32)
        self.minutes = torch.tensor(target, dtype=torch.float32)

    def __len__(self):
        return len(self.minutes)

    def __getitem__(self, i):
        return {
            "origin": self.origin[i],
            "destination": self.destination[i],
            "numeric": self.numeric[i],
            "labels": self.minutes[i],
        }

"""Emulated captures of the flex glove: 5 bend sensors, 50 Hz, 0.4 s around the trigger."""
import random

import numpy as np
import torch
from torch.utils.data import Dataset

FINGERS = 5
TICKS = 20
SIGNS = {
    "fist": (1, 1, 1, 1, 1),
    "point": (1, 0, 1, 1, 1),
    "vee": (1, 0, 0, 1, 1),
    "ok": (1, 1, 0, 0, 0),
    "call": (0, 1, 1, 1, 0),
    "open": (0, 0, 0, 0, 0),
}
MOTION = ("hold", "close")        # the same pose held, or reached from an open hand at the end
LABELS = [f"{s}/{m}" for s in SIGNS for m in MOTION]


def capture(label):
    sign, motion = LABELS[label].split("/")
    pose = np.array(SIGNS[sign], dtype=np.float32)
    ramp = np.ones(TICKS, dtype=np.float32)
    if motion == "close":
        at = random.uniform(6, 14)
        ramp = 1 / (1 + np.exp(-(np.arange(TICKS) - at) / random.uniform(0.8, 1.6)))
        pose = pose if sign != "open" else np.full(FINGERS, 0.5, dtype=np.float32)
    gain = np.random.uniform(0.75, 1.0, FINGERS)
    noise = np.random.normal(0, 0.22, (TICKS, FINGERS))
    return (ramp[:, None] * pose * gain + noise).astype(np.float32)


class Captures(Dataset):
    def __init__(self, n):
        self.labels = [random.randrange(len(LABELS)) for _ in range(n)]
        self.frames = [capture(k) for k in self.labels]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return torch.from_numpy(self.frames[i]) * 2 - 0.8, self.labels[i]

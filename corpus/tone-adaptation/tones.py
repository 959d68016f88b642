import math

import torch
from torch import nn

N_TONES, LENGTH = 12, 48


class ToneNet(nn.Module):
    def __init__(self, hidden=96):
        super().__init__()
        self.fc1 = nn.Linear(LENGTH, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.fc3 = nn.Linear(hidden, N_TONES)

    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))


def record(n, seed, tilt=0.0, hum=0.0):
    """Tones with random phase through a microphone with a spectral tilt and mains hum."""
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(N_TONES, (n,), generator=g)
    t = torch.arange(LENGTH)
    phase = 2 * math.pi * torch.rand(n, 1, generator=g)
    w = 2 * math.pi * (1.5 + y[:, None]) / LENGTH
    x = (1 + tilt * y[:, None] / N_TONES) * torch.sin(w * t + phase)
    x = x + hum * torch.sin(2 * math.pi * 3 * t / LENGTH + 1.0) + 0.5 * torch.randn(n, LENGTH, generator=g)
    return x, y

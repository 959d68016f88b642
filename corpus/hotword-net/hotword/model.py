import math

import torch
from torch import nn


class FilterBank(nn.Module):
    """Log energies of Gabor filters on a roughly logarithmic scale. Learning them never paid off: they are kept as they are."""

    def __init__(self, bands, kernel, stride):
        super().__init__()
        t = torch.arange(kernel) - (kernel - 1) / 2
        centre = torch.logspace(math.log10(0.03), math.log10(0.42), bands)[:, None]
        window = torch.exp(-0.5 * (t / (kernel / 5)) ** 2)
        phase = 2 * math.pi * centre * t
        kernels = torch.cat([torch.cos(phase), torch.sin(phase)]) * window
        self.kernels = nn.Parameter(kernels[:, None, :] / kernels.norm(dim=1)[:, None, None])
        self.shift = nn.Parameter(torch.tensor(3.0))
        self.bands, self.stride = bands, stride

    def forward(self, wave):
        z = nn.functional.conv1d(wave.unsqueeze(1), self.kernels, stride=self.stride)
        energy = z[:, : self.bands] ** 2 + z[:, self.bands:] ** 2
        return 0.5 * (torch.log(energy + 1e-4) + self.shift)


class HotwordNet(nn.Module):
    def __init__(self, audio, channels, words):
        super().__init__()
        a, b = channels
        self.spec = FilterBank(audio["bands"], audio["kernel"], audio["stride"])
        self.spectral_net = nn.Sequential(
            nn.Conv1d(audio["bands"], a, 5, stride=2), nn.ReLU(),
            nn.Conv1d(a, a, 5, stride=2), nn.ReLU(),
            nn.Conv1d(a, b, 3), nn.ReLU(),
        )
        self.vote = nn.Linear(b, words)

    def forward(self, wave):
        return self.vote(self.spectral_net(self.spec(wave)).amax(-1))

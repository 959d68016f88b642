import torch
from torch import nn

from .stream import BINS


class BandNet(nn.Module):
    def __init__(self, n_states, channels=12):
        super().__init__()
        self.bands = nn.Sequential(
            nn.Conv1d(1, channels, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(channels, 2 * channels, 3, padding=1), nn.ReLU(), nn.MaxPool1d(2),
        )
        self.head = nn.Sequential(nn.Linear(2 * channels * (BINS // 4) + 2, 48), nn.ReLU(), nn.Linear(48, n_states))

    def forward(self, x):
        bands, operating_point = x[:, :BINS], x[:, BINS:]
        return self.head(torch.cat([self.bands(bands[:, None]).flatten(1), operating_point], 1))

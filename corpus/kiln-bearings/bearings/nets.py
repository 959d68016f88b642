import torch
from torch import nn


class WaveEncoder(nn.Module):
    """One vibration window [n, 1, 96] -> features [n, width]"""

    def __init__(self, channels=12):
        super().__init__()
        self.width = 4 * channels
        self.layers = nn.Sequential(
            nn.Conv1d(1, channels, 9, stride=2, padding=4), nn.BatchNorm1d(channels), nn.ReLU(),
            nn.Conv1d(channels, 2 * channels, 7, stride=2, padding=3), nn.BatchNorm1d(2 * channels), nn.ReLU(),
            nn.Conv1d(2 * channels, self.width, 5, stride=2, padding=2), nn.BatchNorm1d(self.width), nn.ReLU(),
        )

    def forward(self, wave):
        return self.layers(wave).mean(-1)


class StateClassifier(nn.Module):
    """The fleet's encoder as it is, and a head of its own for one kiln."""

    def __init__(self, encoder, n_states):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(encoder.width, n_states)
        for p in self.encoder.parameters():
            p.requires_grad = False

    def train(self, mode=True):
        super().train(mode)
        self.encoder.eval()
        return self

    def forward(self, wave):
        with torch.no_grad():
            features = self.encoder(wave)
        return self.head(features)

import torch
from torch import nn


class LeakNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(2, width, 7, stride=2, padding=3), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Conv1d(width, 2 * width, 7, stride=2, padding=3), nn.BatchNorm1d(2 * width), nn.ReLU(),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(2 * width * 16, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, trace):
        return self.head(self.features(trace)).squeeze(1)

    @torch.no_grad()
    def probability(self, trace):
        return torch.sigmoid(self(trace))

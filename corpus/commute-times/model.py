import torch
from torch import nn

from data import N_STOPS


class CommuteModel(nn.Module):
    def __init__(self, dim=12, hidden=96):
        super().__init__()
        self.stop = nn.Embedding(N_STOPS, dim)
        self.mlp = nn.Sequential(
            nn.Linear(2 * dim + 4, hidden), nn.GELU(),
            nn.Linear(hidden, hidden), nn.GELU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, origin, destination, numeric):
        return self.mlp(torch.cat([self.stop(origin), self.stop(destination), numeric], dim=-1))

import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, n_in, width=40, depth=14):
        super().__init__()
        self.entry = nn.Linear(n_in, width)
        self.floors = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.exit = nn.Linear(width, 1)

    def forward(self, x):
        h = torch.sigmoid(self.entry(x))
        for floor in self.floors:
            h = torch.sigmoid(floor(h))
        return self.exit(h).squeeze(-1)

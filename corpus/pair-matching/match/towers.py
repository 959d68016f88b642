import torch.nn as nn

from .ops import unit


class Towers(nn.Module):
    def __init__(self, n_in, dim, hidden=64):
        super().__init__()
        make = lambda: nn.Sequential(nn.Linear(n_in, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.left, self.right = make(), make()

    def forward(self, a, b):
        return unit(self.left(a)), unit(self.right(b))

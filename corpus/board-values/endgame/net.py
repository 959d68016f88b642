import torch
from torch import nn


class ValueNet(nn.Module):
    """6x6 board, three planes (mine, theirs, turn) -> value in [-1, 1]."""

    def __init__(self, ch=16):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, ch, 3, padding=1), nn.ReLU(), nn.Conv2d(ch, ch, 3, padding=1), nn.ReLU())
        self.value = nn.Sequential(nn.Flatten(), nn.Linear(ch * 36, 64), nn.ReLU(), nn.Linear(64, 1), nn.Tanh())

    def forward(self, board):
        return self.value(self.conv(board)).squeeze(-1)

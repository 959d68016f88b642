import torch
from torch import nn

from .driver import Driver


class SpeedNet(nn.Module):
    def __init__(self, n_in, hidden=40):
        super().__init__()
        self.a = nn.Linear(n_in, hidden)
        self.b = nn.Linear(hidden, hidden)
        self.c = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.c(torch.tanh(self.b(torch.tanh(self.a(x))))).squeeze(1)


class Session:
    def __init__(self, n_in, lr=3e-3):
        self.net = SpeedNet(n_in)
        self.criterion = nn.SmoothL1Loss()
        self.driver = Driver(self.net.parameters(), lr, limit=5.0)

    def update(self, x, y):
        loss = self.criterion(self.net(x), y)
        loss.backward()
        self.driver.prepare()
        self.driver.advance()
        return loss.item()

    @torch.no_grad()
    def error(self, x, y):
        return self.criterion(self.net(x), y).item()

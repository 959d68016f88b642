import math

import torch
from torch import nn

from ops import sine


class SineLayer(nn.Module):
    def __init__(self, n_in, n_out, omega, first=False):
        super().__init__()
        self.linear = nn.Linear(n_in, n_out)
        self.omega = omega
        bound = 1 / n_in if first else math.sqrt(6 / n_in) / omega
        nn.init.uniform_(self.linear.weight, -bound, bound)

    def forward(self, x):
        return sine(self.linear(x), self.omega)


class Relief(nn.Module):
    """Height over (east, north), a SIREN (Sitzmann et al. 2020)."""

    def __init__(self, width=64, depth=3, omega=10.0):
        super().__init__()
        layers = [SineLayer(2, width, omega, first=True)]
        layers += [SineLayer(width, width, omega) for _ in range(depth - 1)]
        self.body = nn.Sequential(*layers)
        self.height = nn.Linear(width, 1)

    def forward(self, pos):
        return self.height(self.body(pos)).squeeze(-1)


def survey(n, hills, noise=0.02):
    """Measured heights at random places of a landscape made of hills."""
    pos = 2 * torch.rand(n, 2) - 1
    d2 = ((pos[:, None] - hills["centre"][None]) ** 2).sum(-1)
    height = (hills["height"] * torch.exp(-d2 / (2 * hills["radius"] ** 2))).sum(1)
    return pos, height + noise * torch.randn(n)

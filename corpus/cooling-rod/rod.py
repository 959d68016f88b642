"""A rod of unit length cools between two ice baths. Solved by a network that is only told the physics.

    u_t = a u_xx,   u(0, t) = u(1, t) = 0,   u(x, 0) = sin(pi x) + 0.5 sin(2 pi x)

The diffusivity a is known up to a factor; five thermometers tell the rest.
"""
import math

import torch
from torch import nn

TRUE_A = 0.08
T_END = 1.0


def exact(x, t):
    slow = torch.sin(math.pi * x) * torch.exp(-TRUE_A * math.pi ** 2 * t)
    fast = 0.5 * torch.sin(2 * math.pi * x) * torch.exp(-TRUE_A * (2 * math.pi) ** 2 * t)
    return slow + fast


class RodNet(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(),
            nn.Linear(width, 1))
        self.log_a = nn.Parameter(torch.tensor(math.log(0.2)))

    def forward(self, x, t):
        return self.net(torch.cat([2 * x - 1, 2 * t / T_END - 1], dim=1))


def derivative(of, by):
    return torch.autograd.grad(of.sum(), by, create_graph=True)[0]


def residual(net, x, t):
    x = x.requires_grad_(True)
    t = t.requires_grad_(True)
    u = net(x, t)
    u_x = derivative(u, x)
    u_xx = derivative(u_x, x)
    u_t = derivative(u, t)
    return u_t - net.log_a.exp() * u_xx

"""Strain in a bridge girder from what drives over it."""
import math

import torch

SENSORS = 10
GAUGE_NOISE = 6.0


def crossings(n, gen):
    """Axle loads, positions, temperature -> strain in microstrain, a few hundred on average."""
    axles = 2 + 3 * torch.rand(n, 4, generator=gen)
    place = torch.rand(n, 4, generator=gen)
    temperature = 15 + 10 * torch.randn(n, generator=gen)
    speed = 60 + 20 * torch.randn(n, generator=gen)
    bending = (axles * torch.sin(math.pi * place)).sum(1)
    shaking = 1 + 0.15 * torch.sin(speed / 20)
    strain = 25 * bending * shaking + 1.2 * temperature + GAUGE_NOISE * torch.randn(n, generator=gen)
    x = torch.cat([axles, place, temperature[:, None], speed[:, None]], dim=1)
    return x, strain

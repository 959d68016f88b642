"""Closed outlines: every family is a fixed Fourier curve, members are rotated and jittered."""
import math

import torch


class Outlines:
    def __init__(self, families, points, jitter, gen):
        self.points, self.jitter, self.gen = points, jitter, gen
        self.coeff = 0.35 * torch.randn(families, 4, generator=gen)

    def members(self, family):
        n = len(family)
        theta = torch.linspace(0, 2 * math.pi, self.points + 1)[:-1]
        turn = 0.3 * torch.randn(n, 1, generator=self.gen)
        a = theta + turn
        radius = 1 + sum(self.coeff[family][:, k:k + 1] * torch.cos((k + 2) * a) for k in range(4))
        xy = torch.cat([radius * torch.cos(a), radius * torch.sin(a)], dim=1)
        return xy + self.jitter * torch.randn(n, 2 * self.points, generator=self.gen)

    def triplets(self, n):
        families = len(self.coeff)
        pos = torch.randint(families, (n,), generator=self.gen)
        neg = (pos + torch.randint(1, families, (n,), generator=self.gen)) % families
        return self.members(pos), self.members(pos), self.members(neg)

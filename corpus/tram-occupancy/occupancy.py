"""Passengers on board a tram, from hour, weekday, line, weather and delay."""
import math

import torch
from torch import nn

LINES = 9


def rides(n, seed):
    g = torch.Generator().manual_seed(seed)
    hour = 5 + 19 * torch.rand(n, generator=g)
    weekday = torch.randint(0, 7, (n,), generator=g)
    line = torch.randint(0, LINES, (n,), generator=g)
    rain = (torch.rand(n, generator=g) < 0.3).float()
    delay = torch.randn(n, generator=g).abs() * 3
    size = 25 + 6.0 * line.float()
    rush = torch.exp(-((hour - 8) / 1.2) ** 2) + 0.8 * torch.exp(-((hour - 17.5) / 1.8) ** 2)
    people = size * (0.35 + rush * (weekday < 5).float() + 0.25 * rain) * (1 + 0.05 * delay)
    people = people * torch.exp(0.08 * torch.randn(n, generator=g))
    angle = 2 * math.pi * hour / 24
    numbers = torch.stack([
        angle.sin(), angle.cos(), (2 * angle).sin(), (2 * angle).cos(), (4 * angle).sin(), (4 * angle).cos(),
        (weekday >= 5).float(), rain, delay / 3 - 0.8,
    ], dim=1)
    return numbers, line, people.log()


class Occupancy(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.line = nn.Embedding(LINES, 6)
        self.layers = nn.Sequential(
            nn.Linear(9 + 6, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1)
        )

    def forward(self, numbers, line):
        return 4.0 + self.layers(torch.cat([numbers, self.line(line)], dim=1)).squeeze(1)


class Run:
    """Everything that a checkpoint holds."""

    def __init__(self):
        self.model = Occupancy()
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=2e-3)
        self.step = 0

    def save(self, path):
        torch.save({"step": self.step, "model": self.model.state_dict(), "opt": self.opt.state_dict()}, path)

    def load(self, path):
        state = torch.load(path, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.opt.load_state_dict(state["opt"])
        self.step = state["step"]

    def advance(self, data, steps, batch=64):
        x, line, y = data
        total = 0.0
        for _ in range(steps):
            rows = torch.randint(0, len(y), (batch,))
            loss = nn.functional.huber_loss(self.model(x[rows], line[rows]), y[rows], delta=0.5)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.step += 1
            total += loss.item()
        return total / steps

    @torch.no_grad()
    def error(self, data):
        x, line, y = data
        return (self.model(x, line).exp() - y.exp()).abs().mean().item()

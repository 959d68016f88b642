"""Heteroscedastic regression of tide levels."""
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class Settings:
    hours: int = 5000
    hidden: int = 48
    batch: int = 100
    epochs: int = 16
    lr: float = 3e-3
    seed: int = 44


def tide(settings: Settings) -> tuple[Tensor, Tensor]:
    g = torch.Generator().manual_seed(settings.seed)
    t = torch.rand(settings.hours, generator=g) * 28 * 24
    level = torch.sin(2 * math.pi * t / 12.42) + 0.4 * torch.sin(2 * math.pi * t / 24)
    spread = 0.03 + 0.1 * (0.5 + 0.5 * torch.sin(2 * math.pi * t / 24))
    level = level + spread * torch.randn(settings.hours, generator=g)
    waves = [12.42, 24.0, 6.21]
    feats = torch.stack([f(2 * math.pi * t / w) for w in waves for f in (torch.sin, torch.cos)], dim=1)
    return feats, level


class TideNet(nn.Module):
    def __init__(self, n_in: int, hidden: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.mean = nn.Linear(hidden, 1)
        self.log_var = nn.Linear(hidden, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.body(x)
        return self.mean(h).squeeze(-1), self.log_var(h).squeeze(-1).clamp(-10, 5)


class TideTrainer:
    def __init__(self, settings: Settings) -> None:
        torch.manual_seed(settings.seed)
        self.s = settings
        feats, level = tide(settings)
        cut = int(0.8 * len(feats))
        self.train_data = feats[:cut], level[:cut]
        self.valid_data = feats[cut:], level[cut:]
        self.net = TideNet(feats.shape[1], settings.hidden)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=settings.lr)

    @staticmethod
    def nll(mean: Tensor, log_var: Tensor, y: Tensor) -> Tensor:
        return 0.5 * (log_var + (y - mean).square() / log_var.exp()).mean()

    def fit(self) -> None:
        x, y = self.train_data
        for epoch in range(self.s.epochs):
            tot, n = 0.0, 0
            for rows in torch.randperm(len(x)).split(self.s.batch):
                loss = self.nll(*self.net(x[rows]), y[rows])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                tot, n = tot + loss.item(), n + 1
            with torch.no_grad():
                mean, log_var = self.net(self.valid_data[0])
                val = self.nll(mean, log_var, self.valid_data[1]).item()
                rmse = (mean - self.valid_data[1]).square().mean().sqrt().item()
            print(f"epoch {epoch:2d}  nll {tot / n:+.4f}  val nll {val:+.4f}  rmse {rmse:.4f}")


if __name__ == "__main__":
    TideTrainer(Settings()).fit()

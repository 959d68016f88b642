"""Denoising autoencoder for piecewise-smooth signals."""
from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class OptimConfig:
    lr: float = 5e-7
    weight_decay: float = 0.01
    betas: tuple[float, float] = (0.9, 0.99)
    grad_clip: float = 1.0


@dataclass(frozen=True)
class Config:
    length: int = 64
    noise: float = 0.5
    batch_size: int = 64
    max_steps: int = 600
    eval_every: int = 50
    seed: int = 77
    optim: OptimConfig = field(default_factory=OptimConfig)


class SignalSource:
    def __init__(self, cfg: Config) -> None:
        self.cfg = cfg
        self.gen = torch.Generator().manual_seed(cfg.seed)

    def sample(self, n: int) -> tuple[Tensor, Tensor]:
        t = torch.linspace(0, 1, self.cfg.length)
        freq = torch.randint(1, 5, (n, 1), generator=self.gen)
        phase = 2 * math.pi * torch.rand(n, 1, generator=self.gen)
        jump = torch.rand(n, 1, generator=self.gen)
        clean = torch.sin(2 * math.pi * freq * t + phase) + (t > jump).float()
        clean = (clean - 0.5) / 0.9
        noisy = clean + self.cfg.noise * torch.randn(n, self.cfg.length, generator=self.gen)
        return noisy.unsqueeze(1), clean.unsqueeze(1)


class Denoiser(nn.Module):
    def __init__(self, ch: int = 12) -> None:
        super().__init__()
        self.down = nn.Sequential(
            nn.Conv1d(1, ch, 5, stride=2, padding=2), nn.SiLU(),
            nn.Conv1d(ch, 2 * ch, 5, stride=2, padding=2), nn.SiLU(),
        )
        self.up = nn.Sequential(
            nn.ConvTranspose1d(2 * ch, ch, 4, stride=2, padding=1), nn.SiLU(),
            nn.ConvTranspose1d(ch, 1, 4, stride=2, padding=1),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.up(self.down(x))


class Trainer:
    def __init__(self, cfg: Config) -> None:
        torch.manual_seed(cfg.seed)
        self.cfg = cfg
        self.source = SignalSource(cfg)
        self.model = Denoiser()
        o = cfg.optim
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=o.lr, betas=o.betas, weight_decay=o.weight_decay)
        self.valid = self.source.sample(256)

    def step(self) -> tuple[float, float]:
        noisy, clean = self.source.sample(self.cfg.batch_size)
        loss = nn.functional.mse_loss(self.model(noisy), clean)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.optim.grad_clip)
        self.optimizer.step()
        return loss.item(), norm.item()

    @torch.no_grad()
    def evaluate(self) -> float:
        noisy, clean = self.valid
        return nn.functional.mse_loss(self.model(noisy), clean).item()

    def fit(self) -> None:
        for i in range(1, self.cfg.max_steps + 1):
            loss, norm = self.step()
            if i == 1 or i % self.cfg.eval_every == 0:
                print(f"step {i:4d} loss {loss:.4f} grad_norm {norm:.3f} val {self.evaluate():.4f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--max-steps", type=int, default=Config.max_steps)
    args = parser.parse_args()
    Trainer(replace(Config(), max_steps=args.max_steps)).fit()


if __name__ == "__main__":
    main()

"""Learned clean-up of single-lead ECG strips.

The network gets a strip with muscle noise and baseline wander and returns the clean strip. Besides the fit to the
clean strip there are two priors: little jitter from sample to sample, and little output between beats.
"""
from dataclasses import asdict, dataclass, field

import torch
from torch import Tensor, nn


@dataclass
class Weights:
    fit: float = 1.0
    jitter: float = 2.5
    rest: float = 0.01


@dataclass
class Settings:
    strips: int = 1800
    samples: int = 96
    batch: int = 48
    epochs: int = 8
    lr: float = 3e-3
    seed: int = 17
    weights: Weights = field(default_factory=Weights)


@dataclass
class Terms:
    fit: Tensor
    jitter: Tensor
    rest: Tensor

    def total(self, w: Weights) -> Tensor:
        return w.fit * self.fit + w.jitter * self.jitter + w.rest * self.rest

    def numbers(self) -> dict[str, float]:
        return {k: v.item() for k, v in vars(self).items()}


def beats(n: int, samples: int) -> tuple[Tensor, Tensor]:
    t = torch.arange(samples, dtype=torch.float32)
    clean = torch.zeros(n, samples)
    period = torch.randint(24, 40, (n,)).float()
    offset = torch.rand(n) * period
    for k in range(-1, samples // 20):
        r = offset + k * period
        for shift, height, width in ((-6.0, 0.25, 2.0), (0.0, 1.6, 0.9), (1.8, -0.5, 0.9), (8.0, 0.45, 2.5)):
            clean += height * torch.exp(-0.5 * ((t[None] - r[:, None] - shift) / width) ** 2)
    wander = 0.6 * torch.sin(2 * torch.pi * (t[None] * (0.01 + 0.01 * torch.rand(n, 1)) + torch.rand(n, 1)))
    noisy = clean + wander + 0.25 * torch.randn(n, samples)
    return noisy, clean


class Cleaner(nn.Module):
    def __init__(self, width: int = 20):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(1, width, 9, padding=4), nn.SiLU(),
            nn.Conv1d(width, width, 9, padding=8, dilation=2), nn.SiLU(),
            nn.Conv1d(width, width, 9, padding=16, dilation=4), nn.SiLU(),
            nn.Conv1d(width, 1, 1),
        )

    def forward(self, strip: Tensor) -> Tensor:
        return self.layers(strip.unsqueeze(1)).squeeze(1)


def terms(out: Tensor, clean: Tensor) -> Terms:
    step = out[:, 1:] - out[:, :-1]
    quiet = (clean.abs() < 0.05).float()
    return Terms(
        fit=(out - clean).square().mean(),
        jitter=step.square().mean(),
        rest=(out.abs() * quiet).sum() / quiet.sum(),
    )


def snr(out: Tensor, clean: Tensor) -> float:
    return (10 * torch.log10(clean.square().sum() / (out - clean).square().sum())).item()


def main(cfg: Settings) -> None:
    print(asdict(cfg))
    torch.manual_seed(cfg.seed)
    noisy, clean = beats(cfg.strips, cfg.samples)
    held_noisy, held_clean = beats(400, cfg.samples)
    print(f"SNR of the raw strips: {snr(held_noisy, held_clean):.2f} dB")
    net = Cleaner()
    optimizer = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    for epoch in range(1, cfg.epochs + 1):
        sums: dict[str, float] = {}
        n = 0
        for idx in torch.randperm(cfg.strips).split(cfg.batch):
            parts = terms(net(noisy[idx]), clean[idx])
            optimizer.zero_grad()
            parts.total(cfg.weights).backward()
            optimizer.step()
            n += 1
            for k, v in parts.numbers().items():
                sums[k] = sums.get(k, 0.0) + v
        with torch.no_grad():
            db = snr(net(held_noisy), held_clean)
        print(f"epoch {epoch} " + " ".join(f"{k} {v / n:.5f}" for k, v in sums.items()) + f" | SNR {db:.2f} dB")


if __name__ == "__main__":
    main(Settings())

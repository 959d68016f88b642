from dataclasses import asdict, dataclass, field
from typing import Dict, List

import torch
import torch.nn as nn


@dataclass
class TrainConfig:
    bins: int = 64
    code: int = 8
    hidden: List[int] = field(default_factory=lambda: [48, 24])
    samples: int = 4000
    batch_size: int = 80
    lr: float = 0.05
    alpha: float = 0.95
    epochs: int = 14
    seed: int = 31


def make_spectra(cfg: TrainConfig) -> torch.Tensor:
    """Sums of three Gaussian peaks whose positions are tied to two hidden factors."""
    gen = torch.Generator().manual_seed(cfg.seed)
    hidden = torch.rand(cfg.samples, 2, generator=gen)
    grid = torch.linspace(0, 1, cfg.bins)
    centers = torch.stack([0.15 + 0.2 * hidden[:, 0], 0.45 + 0.2 * hidden[:, 1], 0.75 + 0.1 * hidden.sum(1)], dim=1)
    heights = torch.stack([1.0 - 0.5 * hidden[:, 1], 0.5 + hidden[:, 0], torch.ones(cfg.samples)], dim=1)
    peaks = heights[..., None] * torch.exp(-((grid - centers[..., None]) ** 2) / (2 * 0.04**2))
    spectra = peaks.sum(1) + 0.02 * torch.randn(cfg.samples, cfg.bins, generator=gen)
    return (spectra - spectra.mean()) / spectra.std()


def mlp(sizes: List[int]) -> nn.Sequential:
    layers: List[nn.Module] = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), nn.ELU()]
    return nn.Sequential(*layers[:-1])


class SpectraAE(nn.Module):
    def __init__(self, cfg: TrainConfig) -> None:
        super().__init__()
        down = [cfg.bins, *cfg.hidden, cfg.code]
        self.encode = mlp(down)
        self.decode = mlp(down[::-1])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.decode(self.encode(x))


class AETrainer:
    def __init__(self, cfg: TrainConfig) -> None:
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        data = make_spectra(cfg)
        cut = int(0.85 * len(data))
        self.train_x, self.valid_x = data[:cut], data[cut:]
        self.model = SpectraAE(cfg)
        self.optim = torch.optim.RMSprop(self.model.parameters(), lr=cfg.lr, alpha=cfg.alpha)
        self.log: List[Dict[str, float]] = []

    def loss(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.mse_loss(self.model(x), x)

    def train_epoch(self) -> float:
        self.model.train()
        seen = []
        for chunk in torch.randperm(len(self.train_x)).split(self.cfg.batch_size):
            self.optim.zero_grad()
            loss = self.loss(self.train_x[chunk])
            loss.backward()
            self.optim.step()
            seen.append(loss.item())
        return sum(seen) / len(seen)

    def run(self) -> None:
        print("config:", asdict(self.cfg))
        for epoch in range(self.cfg.epochs):
            train = self.train_epoch()
            with torch.no_grad():
                valid = self.loss(self.valid_x).item()
            self.log.append({"train": train, "valid": valid})
            print(f"epoch {epoch:3d} train_loss {train:10.4f} valid_loss {valid:10.4f}")


if __name__ == "__main__":
    AETrainer(TrainConfig()).run()

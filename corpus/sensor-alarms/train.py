"""Multi-label alarm prediction.

Every window of sensor readings can raise any subset of the alarms; an alarm fires when a
(smooth) combination of a few sensors passes its threshold.
"""
from __future__ import annotations

import argparse
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class Config:
    n_sensors: int = 24
    n_alarms: int = 10
    n_train: int = 4000
    n_valid: int = 1000
    width: int = 96
    batch_size: int = 64
    learning_rate: float = 2e-3
    epochs: int = 12
    seed: int = 1234


def simulate(cfg: Config, n: int, gen: torch.Generator, mixing: Tensor) -> tuple[Tensor, Tensor]:
    readings = torch.randn(n, cfg.n_sensors, generator=gen)
    score = torch.tanh(readings @ mixing) * 2 + readings[:, : cfg.n_alarms] * readings[:, 10 : 10 + cfg.n_alarms]
    alarms = (score > 1.2).float()
    return readings, alarms


class AlarmNet(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(cfg.n_sensors, cfg.width),
            nn.GELU(),
            nn.Linear(cfg.width, cfg.width),
            nn.GELU(),
        )
        self.head = nn.Linear(cfg.width, cfg.n_alarms)

    def forward(self, readings: Tensor) -> Tensor:
        return torch.sigmoid(self.head(self.trunk(readings)))


class Trainer:
    def __init__(self, cfg: Config, model: nn.Module, train: tuple[Tensor, Tensor], valid: tuple[Tensor, Tensor]):
        self.cfg = cfg
        self.model = model
        self.train_data = train
        self.valid_data = valid
        self.criterion = nn.BCEWithLogitsLoss()
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.learning_rate, weight_decay=1e-4)
        self.global_step = 0

    def batches(self):
        x, y = self.train_data
        order = torch.randperm(len(x))
        for start in range(0, len(x), self.cfg.batch_size):
            rows = order[start : start + self.cfg.batch_size]
            yield x[rows], y[rows]

    def training_step(self, batch: tuple[Tensor, Tensor]) -> float:
        readings, alarms = batch
        self.optimizer.zero_grad(set_to_none=True)
        scores = self.model(readings)
        loss = self.criterion(scores, alarms)
        loss.backward()
        self.optimizer.step()
        self.global_step += 1
        return loss.item()

    @torch.no_grad()
    def validate(self) -> tuple[float, float]:
        self.model.eval()
        readings, alarms = self.valid_data
        scores = self.model(readings)
        hits = (scores > 0.5) == (alarms > 0.5)
        return self.criterion(scores, alarms).item(), hits.float().mean().item()

    def fit(self) -> None:
        for epoch in range(self.cfg.epochs):
            self.model.train()
            losses = [self.training_step(b) for b in self.batches()]
            val_loss, val_acc = self.validate()
            print(
                f"[{epoch + 1}/{self.cfg.epochs}] step {self.global_step} "
                f"loss={sum(losses) / len(losses):.4f} val_loss={val_loss:.4f} val_acc={val_acc:.3f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=Config.epochs)
    parser.add_argument("--learning-rate", type=float, default=Config.learning_rate)
    ns = parser.parse_args()
    cfg = Config(epochs=ns.epochs, learning_rate=ns.learning_rate)

    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed)
    mixing = torch.randn(cfg.n_sensors, cfg.n_alarms, generator=gen) / cfg.n_sensors**0.5
    train = simulate(cfg, cfg.n_train, gen, mixing)
    valid = simulate(cfg, cfg.n_valid, gen, mixing)
    print(f"alarm rate: {train[1].mean():.3f}")
    Trainer(cfg, AlarmNet(cfg), train, valid).fit()


if __name__ == "__main__":
    main()

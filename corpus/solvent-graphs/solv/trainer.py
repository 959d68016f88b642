from __future__ import annotations

from torch import nn
import torch
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, model: nn.Module, mean: float, std: float, lr: float) -> None:
        self.model = model
        self.mean = mean
        self.std = std
        self.criterion = nn.SmoothL1Loss(beta=0.5)
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, factor=0.4, patience=1)

    def train_one_epoch(self, loader: DataLoader) -> float:
        self.model.train()
        total = 0.0
        for batch in loader:
            target = (batch.log_s - self.mean) / self.std
            self.optimizer.zero_grad()
            prediction = self.model(batch)
            loss = self.criterion(prediction, target)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * batch.size
        return total / len(loader.dataset)

    @torch.no_grad()
    def mean_absolute_error(self, loader: DataLoader) -> float:
        self.model.eval()
        total = 0.0
        for batch in loader:
            predicted_log_s = self.model(batch) * self.std + self.mean
            total += (predicted_log_s - batch.log_s).abs().sum().item()
        return total / len(loader.dataset)

    def fit(self, train: DataLoader, valid: DataLoader, epochs: int) -> float:
        best = float("inf")
        for epoch in range(epochs):
            loss = self.train_one_epoch(train)
            mae = self.mean_absolute_error(valid)
            self.scheduler.step(mae)
            best = min(best, mae)
            rate = self.optimizer.param_groups[0]["lr"]
            print(f"epoch {epoch:02d}\tloss {loss:.4f}\tvalid_mae {mae:.4f}\tlr {rate:.2e}")
        return best

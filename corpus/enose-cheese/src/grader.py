from __future__ import annotations

import torch
from torch import Tensor, nn


class Grader(nn.Module):
    def __init__(self, sensors: int, width: int, grades: int) -> None:
        super().__init__()
        self.stack = nn.Sequential(
            nn.Linear(sensors, width), nn.ReLU(), nn.Dropout(0.15),
            nn.Linear(width, width), nn.ReLU(), nn.Dropout(0.15),
            nn.Linear(width, grades),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.stack(x)

    @torch.no_grad()
    def score(self, x: Tensor, grade: Tensor) -> tuple[float, float]:
        self.eval()
        logits = self(x)
        self.train()
        loss = nn.functional.cross_entropy(logits, grade).item()
        return loss, (logits.argmax(1) == grade).float().mean().item()

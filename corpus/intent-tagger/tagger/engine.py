import torch
from torch import nn


class Engine:
    """Owns the optimizer and performs single updates."""

    def __init__(self, model: nn.Module, objective, lr: float, max_norm: float = 5.0):
        self.model = model
        self.objective = objective
        self.max_norm = max_norm
        self._opt = torch.optim.Adam(model.parameters(), lr=lr)

    def update(self, batch: dict) -> float:
        self.model.train()
        self._opt.zero_grad()
        loss = self.objective(self.model(batch["tokens"]), batch)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self._opt.step()
        return loss.item()

    @torch.inference_mode()
    def score(self, batch: dict):
        self.model.eval()
        out = self.model(batch["tokens"])
        return self.objective(out, batch).item(), self.objective.accuracy(out, batch)

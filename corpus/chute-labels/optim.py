from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class Group:
    """A part of the model with an optimizer of its own."""

    part: nn.Module
    kind: str
    lr: float
    optimizer: torch.optim.Optimizer = field(init=False)

    def __post_init__(self):
        self.optimizer = getattr(torch.optim, self.kind)(self.part.parameters(), lr=self.lr)


class Stepper:
    """One backward pass, then a step of every group."""

    def __init__(self, model: nn.Module, *groups: Group):
        self.model = model
        self.groups = groups

    def __call__(self, loss: torch.Tensor) -> float:
        loss.backward()
        for group in self.groups:
            group.optimizer.step()
            self.model.zero_grad()
        return loss.item()

import torch
from torch import nn


class CopModel(nn.Module):
    def __init__(self, n_inputs, widths):
        super().__init__()
        layers, last = [], n_inputs
        for w in widths:
            layers.append(nn.Linear(last, w))
            layers.append(nn.Tanh())
            last = w
        layers.append(nn.Linear(last, 1))
        self.layers = nn.Sequential(*layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x).flatten()

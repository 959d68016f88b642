import torch.nn as nn


class Uptake(nn.Module):
    """Litres per square metre and hour that the crop takes up."""

    def __init__(self, n_inputs, width=48):
        super().__init__()
        self.first = nn.Linear(n_inputs, width)
        self.second = nn.Linear(width, width)
        self.last = nn.Linear(width, 1)
        self.act = nn.SiLU()

    def forward(self, x):
        h = self.act(self.first(x))
        h = h + self.act(self.second(h))
        return self.last(h)[:, 0]

import torch.nn as nn


class Diagnoser(nn.Module):
    def __init__(self, n_signals, width, n_faults):
        super().__init__()
        self.inner = nn.Linear(n_signals, width)
        self.mid = nn.Linear(width, width)
        self.out = nn.Linear(width, n_faults)
        self.act = nn.GELU()

    def forward(self, x):
        return self.out(self.act(self.mid(self.act(self.inner(x)))))

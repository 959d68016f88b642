import torch.nn as nn


class LeafNet(nn.Module):
    def __init__(self, n_inputs, hidden):
        super().__init__()
        self.f = nn.Sequential(
            nn.Linear(n_inputs, hidden), nn.LeakyReLU(0.1),
            nn.Linear(hidden, hidden), nn.LeakyReLU(0.1),
            nn.Linear(hidden, 1),
        )

    def forward(self, x):
        return self.f(x)[..., 0]

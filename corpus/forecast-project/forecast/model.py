from torch import nn


class Forecaster(nn.Module):
    def __init__(self, window, hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(window, hidden), nn.SiLU(),
            nn.Linear(hidden, hidden), nn.SiLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, past):
        return self.net(past)

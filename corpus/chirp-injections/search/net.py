from torch import nn


class Trigger(nn.Module):
    def __init__(self, c=16):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, c, 17, padding=8), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(c, c, 9, padding=4), nn.ReLU(), nn.MaxPool1d(4),
        )
        self.rank = nn.Sequential(nn.Flatten(), nn.Linear(c * 16, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, strain):
        return self.rank(self.features(strain)).squeeze(-1)

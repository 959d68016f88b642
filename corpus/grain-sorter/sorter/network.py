import torch.nn as nn


class SorterNet(nn.Module):
    def __init__(self, n_kinds):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 20, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.fc = nn.Sequential(nn.Linear(20 * 16, 40), nn.ReLU(), nn.Linear(40, n_kinds))

    def forward(self, x):
        return self.fc(self.body(x).flatten(1))

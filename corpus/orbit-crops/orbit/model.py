from torch import nn


class CoverNet(nn.Module):
    def __init__(self, n_covers, width):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, stride=2, padding=1), nn.BatchNorm2d(width), nn.ReLU())
        self.mid = nn.Sequential(nn.Conv2d(width, 2 * width, 3, stride=2, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU())
        self.last = nn.Sequential(nn.Conv2d(2 * width, 4 * width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.head = nn.Linear(4 * width, n_covers)

    def forward(self, x):
        return self.head(self.last(self.mid(self.stem(x))).flatten(1))

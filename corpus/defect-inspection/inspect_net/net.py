from torch import nn

from .patches import KINDS


def conv_block(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))


class InspectNet(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        dims = [1, *channels]
        self.body = nn.Sequential(*(conv_block(a, b) for a, b in zip(dims, dims[1:])))
        side = 12 // 2 ** len(channels)
        self.tail = nn.Sequential(
            nn.Flatten(), nn.Linear(channels[-1] * side * side, hidden), nn.ReLU(), nn.Linear(hidden, len(KINDS))
        )

    def forward(self, x):
        return self.tail(self.body(x))

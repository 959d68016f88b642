from torch import nn


class Boardings(nn.Module):
    def __init__(self, n_features, width, depth):
        super().__init__()
        self.enter = nn.Linear(n_features, width)
        self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU()) for _ in range(depth))
        self.leave = nn.Linear(width, 1)

    def forward(self, x):
        h = self.enter(x)
        for block in self.blocks:
            h = h + block(h)
        return self.leave(h).squeeze(-1)

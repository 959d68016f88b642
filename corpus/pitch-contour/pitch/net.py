from torch import nn


class PitchNet(nn.Module):
    def __init__(self, n_bands, width, depth):
        super().__init__()
        layers = [nn.Linear(n_bands, width), nn.SiLU()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), nn.SiLU()]
        self.layers = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, bands):
        return self.layers(bands).squeeze(-1)

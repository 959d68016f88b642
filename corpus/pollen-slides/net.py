import torch.nn as nn


def block(c_in, c_out):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, padding=1, bias=False),
        nn.BatchNorm2d(c_out),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
    )


class PollenNet(nn.Module):
    def __init__(self, n_species):
        super().__init__()
        self.stem = nn.BatchNorm2d(1)
        self.features = nn.Sequential(block(1, 8), block(8, 24))
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.25), nn.Linear(24 * 5 * 5, n_species))

    def forward(self, tiles):
        return self.head(self.features(self.stem(tiles)))

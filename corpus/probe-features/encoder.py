import torch.nn as nn


class Encoder(nn.Module):
    """Convolutional encoder, pretrained on the shape task."""

    def __init__(self, dim=32):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(24 * 9, dim), nn.ReLU(),
        )

    def forward(self, x):
        return self.net(x)

from torch import nn


def encoder(width, dropout):
    return nn.Sequential(
        nn.Conv2d(1, width, 5), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(width, 2 * width, 3), nn.BatchNorm2d(2 * width), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(dropout),
    )


def features(width):
    return 2 * width * 3 * 3

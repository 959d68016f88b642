from torch import nn


def block(cin, cout):
    return [nn.Conv1d(cin, cout, 5, padding=2, bias=False), nn.BatchNorm1d(cout), nn.ReLU(inplace=True), nn.MaxPool1d(2)]


def surface_cnn(n_classes, base=12):
    return nn.Sequential(
        *block(3, base),
        *block(base, 2 * base),
        nn.AdaptiveAvgPool1d(4), nn.Flatten(),
        nn.Linear(8 * base, n_classes),
    )

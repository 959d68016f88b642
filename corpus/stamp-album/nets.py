import torch.nn as nn


def stamp_net(n_out):
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.SiLU(),
        nn.Conv2d(16, 24, 3, stride=2, padding=1), nn.BatchNorm2d(24), nn.SiLU(),
        nn.Conv2d(24, 32, 3, stride=2, padding=1), nn.BatchNorm2d(32), nn.SiLU(),
        nn.Flatten(), nn.Linear(32 * 9, n_out),
    )

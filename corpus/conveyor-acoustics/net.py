from torch import nn


def stage(c_in, c_out, k, stride):
    return nn.Sequential(
        nn.Conv1d(c_in, c_out, k, stride=stride, padding=k // 2),
        nn.ReLU(inplace=True),
        nn.InstanceNorm1d(c_out),
    )


class RollerNet(nn.Module):
    """Strided 1-D CNN, fully convolutional so that the window length can change on the gateway."""

    def __init__(self, n_mics, n_faults, c=12):
        super().__init__()
        self.trunk = nn.Sequential(stage(n_mics, c, 7, 2), stage(c, 2 * c, 5, 2), stage(2 * c, 2 * c, 3, 2))
        self.pool = nn.AdaptiveAvgPool1d(1)
        self.fc = nn.Linear(2 * c, n_faults)

    def forward(self, x):
        return self.fc(self.pool(self.trunk(x)).flatten(1))

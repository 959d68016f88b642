from torch import nn


def conv_block(c_in, c_out):
    return nn.Sequential(nn.Conv2d(c_in, c_out, 3, padding=1, bias=False), nn.BatchNorm2d(c_out), nn.ReLU(), nn.MaxPool2d(2))


class PumpNet(nn.Module):
    def __init__(self, n_states, channels):
        super().__init__()
        self.trunk = nn.Sequential(conv_block(1, channels // 2), conv_block(channels // 2, channels), conv_block(channels, 2 * channels))
        self.head = nn.Linear(2 * channels * 8, n_states)

    def forward(self, spec):
        h = self.trunk(spec).amax(dim=3)  # over time
        return self.head(h.flatten(1))

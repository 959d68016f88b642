from torch import nn


class SignNet(nn.Module):
    """GRU over the ticks of a capture, sign read off the last state; small enough for the M4."""

    def __init__(self, n_in, n_units, n_out):
        super().__init__()
        self.gru = nn.GRU(n_in, n_units)
        self.out = nn.Linear(n_units, n_out)

    def forward(self, frames):
        batch, ticks, fingers = frames.shape
        steps = frames.view(ticks, batch, fingers)
        _, last = self.gru(steps)
        return self.out(last[-1])

    def macs(self, ticks):
        per_tick = 3 * self.gru.hidden_size * (self.gru.input_size + self.gru.hidden_size)
        return ticks * per_tick + self.out.in_features * self.out.out_features

import numpy as np
import torch
from torch import nn


class GestureNet(nn.Module):
    def __init__(self, n_gestures, hidden):
        super().__init__()
        self.gru = nn.GRU(2, hidden, batch_first=True)
        self.hidden = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, n_gestures)

    def forward(self, steps):
        _, last = self.gru(steps)
        return self.out(torch.tanh(self.hidden(last[0])))


def start_from(net, path):
    """All variants of the study begin at the same stored weights, so that their curves can be compared."""
    with np.load(path) as z:
        net.load_state_dict({name: torch.from_numpy(z[name]) for name in z.files})
    return net

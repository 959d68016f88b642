import sys

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

# climatology of the station: wind m/s, pressure hPa, period s, heave m/s2
MEAN = np.array([8.2, 1013.0, 6.5, 0.9], dtype=np.float32)
STD = np.array([3.5, 9.0, 1.6, 0.4], dtype=np.float32)


def read(path):
    table = np.genfromtxt(path, delimiter=",", skip_header=1, dtype=np.float32)
    x = (table[:, :-1] - MEAN) / STD
    y = (table[:, -1:] - 1.8) / 0.8
    return torch.from_numpy(x), torch.from_numpy(y)


class WaveNetwork(nn.Module):
    def __init__(self, n_in, hidden=32):
        super().__init__()
        self.lin1 = nn.Linear(n_in, hidden)
        self.lin2 = nn.Linear(hidden, hidden)
        self.lin3 = nn.Linear(hidden, 1)

    def forward(self, x):
        x = torch.relu(self.lin1(x))
        x = torch.relu(self.lin2(x))
        return self.lin3(x)


def main():
    torch.manual_seed(0)
    x, y = read(sys.argv[1])
    n_val = 400
    xv, yv = x[:n_val], y[:n_val]
    loader = DataLoader(TensorDataset(x[n_val:], y[n_val:]), batch_size=40, shuffle=True)
    net = WaveNetwork(x.shape[1])
    criterion = nn.HuberLoss()
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)

    step = 0
    for epoch in range(7):
        for xb, yb in loader:
            loss = criterion(net(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 25 == 0:
                print(f"epoch {epoch} step {step} loss {loss.item():.4f}")
            step += 1
        with torch.no_grad():
            print(f"epoch {epoch} validation {criterion(net(xv), yv).item():.4f}")


if __name__ == "__main__":
    main()

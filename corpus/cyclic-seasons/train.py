import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def temperatures(days):
    t = torch.arange(days, dtype=torch.float)
    weather = torch.zeros(days)
    for d in range(1, days):
        weather[d] = 0.8 * weather[d - 1] + 0.3 * torch.randn(())
    temp = 10 + 9 * torch.sin(2 * math.pi * t / 60) + 3 * torch.sin(2 * math.pi * t / 9) + 2 * weather
    return (temp - temp.mean()) / temp.std()


class NextDay(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, window):
        h, _ = self.gru(window)
        return self.out(h[:, -1])


def main():
    series = temperatures(2600)
    windows = series.unfold(0, 15, 1)
    x, y = windows[:, :-1].unsqueeze(-1), windows[:, -1:]
    train = DataLoader(TensorDataset(x[:2000], y[:2000]), batch_size=50, shuffle=True)
    model = NextDay()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.005, max_lr=0.2, step_size_up=60, cycle_momentum=False)
    criterion = nn.MSELoss()

    for epoch in range(12):
        total = 0.0
        for xb, yb in train:
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            scheduler.step()
            total += loss.item()
        with torch.no_grad():
            val = criterion(model(x[2050:]), y[2050:]).item()
        print(f"epoch {epoch:2d}  lr {scheduler.get_last_lr()[0]:.4f}  mse {total / len(train):.4f}  val {val:.4f}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python
"""Friedman #1 regression benchmark, y = 10 sin(pi x0 x1) + 20 (x2 - .5)^2 + 10 x3 + 5 x4 + noise."""
import argparse
import logging

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("friedman")


class Friedman(Dataset):
    def __init__(self, n, seed, stats=None):
        rng = np.random.RandomState(seed)
        x = rng.uniform(size=(n, 10))
        y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
        y = y + rng.normal(scale=0.5, size=n)
        self.stats = stats or (y.mean(), y.std())
        self.x = torch.tensor((x - 0.5) / np.sqrt(1 / 12), dtype=torch.float32)
        self.y = torch.tensor((y - self.stats[0]) / self.stats[1], dtype=torch.float32).unsqueeze(1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class MLP(nn.Module):
    def __init__(self, d_in, d_hidden, d_out):
        super().__init__()
        self.fc_in = nn.Linear(d_in, d_hidden)
        self.fc_mid = nn.Linear(d_hidden, d_hidden)
        self.fc_out = nn.Linear(d_hidden, d_out)
        self.act = nn.Tanh()

    def forward(self, x):
        x = self.act(self.fc_in(x))
        x = self.act(self.fc_mid(x))
        return self.fc_out(x)


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--batch-size", type=int, default=50)
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--hidden", type=int, default=50)
    p.add_argument("--seed", type=int, default=3)
    return p.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    train_set = Friedman(2000, seed=0)
    test_set = Friedman(500, seed=1, stats=train_set.stats)
    loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True, drop_last=True)

    model = MLP(10, args.hidden, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    mse = nn.MSELoss()

    for epoch in range(args.epochs):
        model.train()
        epoch_loss = 0.0
        for x, y in loader:
            pred = model(x)
            loss = mse(pred, y)
            loss.backward()
            optimizer.step()
            epoch_loss += loss.item()
        model.eval()
        with torch.no_grad():
            test_loss = mse(model(test_set.x), test_set.y).item()
        log.info("epoch %d | train mse %.4f | test mse %.4f", epoch, epoch_loss / len(loader), test_loss)


if __name__ == "__main__":
    main()

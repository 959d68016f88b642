"""Predict which glaze fault (if any) a firing will show, from the temperature curve of the kiln.

    python train.py [--epochs 8] [--keep 3]
"""
import argparse
import logging

import numpy as np
import torch
from torch import nn

from snapshots import SnapshotWriter

log = logging.getLogger("glaze")

OUTCOMES = ("sound", "crazing", "pinholes", "crawling")
POINTS = 64


def fire(rng, outcome):
    """One firing: heat up, soak, cool down; each outcome has its own way of going about it."""
    t = np.linspace(0, 1, POINTS)
    peak = rng.normal(1.0, 0.03)
    up, down = rng.uniform(0.38, 0.46), rng.uniform(0.62, 0.7)
    if outcome == 1:
        down -= 0.04
    curve = np.where(t < up, t / up, np.where(t < down, 1.0, 1.0 - (t - down) / (1 - down)))
    if outcome == 1:      # cooled too fast
        curve = np.where(t >= down, curve ** 1.7, curve)
    elif outcome == 2:    # soak too short and too hot
        curve = curve + 0.08 * np.exp(-((t - 0.5) / 0.05) ** 2)
    elif outcome == 3:    # shock while drying
        curve = curve + 0.1 * np.exp(-((t - rng.uniform(0.1, 0.2)) / 0.03) ** 2)
    return peak * curve + 0.03 * rng.standard_normal(POINTS)


def firings(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(OUTCOMES), n)
    x = np.stack([fire(rng, k) for k in y]).astype(np.float32)
    x = (x - x.mean(0)) / x.std(0)
    return torch.from_numpy(x), torch.from_numpy(y)


class Trainer:
    def __init__(self, net, train, valid, out, keep):
        self.net = net
        self.train_set, self.valid_set = train, valid
        self.opt = torch.optim.Adam(net.parameters(), lr=2e-3)
        self.loss = nn.CrossEntropyLoss()
        self.snapshots = SnapshotWriter(out, keep=keep)

    def epoch(self, batch=50):
        x, y = self.train_set
        self.net.train()
        total = 0.0
        for rows in torch.randperm(len(x)).split(batch):
            self.opt.zero_grad()
            loss = self.loss(self.net(x[rows]), y[rows])
            loss.backward()
            self.opt.step()
            total += loss.item() * len(rows)
        return total / len(x)

    @torch.no_grad()
    def accuracy(self):
        x, y = self.valid_set
        self.net.eval()
        return (self.net(x).argmax(1) == y).float().mean().item()

    def fit(self, epochs):
        for n in range(1, epochs + 1):
            train_loss = self.epoch()
            acc = self.accuracy()
            log.info("epoch %2d  loss %.4f  valid acc %.3f", n, train_loss, acc)
            self.snapshots.submit(n, self.net.state_dict())
        log.info("%d bytes of snapshots kept", self.snapshots.close())
        return acc


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--keep", type=int, default=3)
    ap.add_argument("--out", default="snapshots_out")
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", datefmt="%H:%M:%S")

    torch.manual_seed(31)
    net = nn.Sequential(
        nn.Unflatten(1, (1, POINTS)),
        nn.Conv1d(1, 16, 7, stride=2, padding=3), nn.ReLU(),
        nn.Conv1d(16, 24, 5, stride=2, padding=2), nn.ReLU(),
        nn.Flatten(), nn.Linear(24 * POINTS // 4, 48), nn.ReLU(), nn.Dropout(0.1),
        nn.Linear(48, len(OUTCOMES)),
    )
    trainer = Trainer(net, firings(1200, seed=1), firings(400, seed=2), args.out, args.keep)
    acc = trainer.fit(args.epochs)
    log.info("done, final valid acc %.3f", acc)


if __name__ == "__main__":
    main()

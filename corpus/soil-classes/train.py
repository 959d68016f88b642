"""Soil class prediction.

data/readings.csv   one sample a row, with a header naming the probes
data/classes.txt    the class found by the laboratory for every sample
"""
import argparse
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def read_samples(root):
    x = np.loadtxt(os.path.join(root, "readings.csv"), delimiter=",", dtype=np.float32, skiprows=1)
    y = np.loadtxt(os.path.join(root, "classes.txt"), dtype=np.int64, skiprows=1)
    n = min(len(x), len(y))
    return x[:n], y[:n]


class Split:
    def __init__(self, x, y):
        self.x = torch.from_numpy(x)
        self.y = torch.from_numpy(y)

    def __len__(self):
        return len(self.y)

    def batches(self, size):
        for ix in torch.randperm(len(self)).split(size):
            yield self.x[ix], self.y[ix]


class SoilNet(nn.Module):
    def __init__(self, n_in, n_out, width=24):
        super().__init__()
        self.inp = nn.Linear(n_in, width)
        self.mid = nn.Linear(width, width)
        self.out = nn.Linear(width, n_out)

    def forward(self, x):
        h = F.leaky_relu(self.inp(x))
        h = F.leaky_relu(self.mid(h))
        return F.log_softmax(self.out(h), dim=1)


class Trainer:
    def __init__(self, model, train, test, lr, batch_size):
        self.model, self.train_split, self.test_split = model, train, test
        self.batch_size = batch_size
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
        self.steps = 0

    def _update(self, x, y):
        self.opt.zero_grad()
        loss = F.nll_loss(self.model(x), y)
        loss.backward()
        self.opt.step()
        self.steps += 1
        return loss.item()

    @torch.no_grad()
    def _test(self):
        self.model.eval()
        logp = self.model(self.test_split.x)
        self.model.train()
        return F.nll_loss(logp, self.test_split.y).item(), (logp.argmax(1) == self.test_split.y).float().mean().item()

    def run(self, epochs):
        for epoch in range(1, epochs + 1):
            losses = [self._update(x, y) for x, y in self.train_split.batches(self.batch_size)]
            if epoch % 2 == 0:
                loss, acc = self._test()
                print(f"epoch {epoch:3d} step {self.steps:4d} train {np.mean(losses):.4f} test {loss:.4f} acc {acc:.3f}")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", default="data")
    ap.add_argument("--epochs", type=int, default=20)
    ap.add_argument("--lr", type=float, default=0.03)
    ap.add_argument("--batch-size", type=int, default=64)
    args = ap.parse_args()

    torch.manual_seed(0)
    x, y = read_samples(args.data)
    x = (x - x.mean(0)) / x.std(0)
    print("samples", x.shape, "classes", np.bincount(y))
    cut = int(len(x) * 0.8)
    trainer = Trainer(SoilNet(x.shape[1], 5), Split(x[:cut], y[:cut]), Split(x[cut:], y[cut:]), args.lr, args.batch_size)
    trainer.run(args.epochs)


if __name__ == "__main__":
    main()

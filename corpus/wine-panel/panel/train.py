import argparse
import sys

import torch
from torch import nn

from .seeding import fix_seeds
from .tasting import LAB, batches, split, wines


def r2(model, data):
    x, y = data
    with torch.no_grad():
        return (1 - (model(x).squeeze(1) - y).square().sum() / (y - y.mean()).square().sum()).item()


def main(argv):
    p = argparse.ArgumentParser(prog="panel.train")
    p.add_argument("--wines", type=int, default=900)
    p.add_argument("--epochs", type=int, default=30)
    p.add_argument("--seed", type=int, default=0)
    a = p.parse_args(argv)

    fix_seeds(a.seed)
    train, test = split(*wines(a.wines), test_share=0.15)
    model = nn.Sequential(nn.Linear(LAB, 40), nn.GELU(), nn.Linear(40, 40), nn.GELU(), nn.Linear(40, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.93)
    print(f"seed {a.seed}: {len(train[1])} wines to learn from, {len(test[1])} to test on")
    for epoch in range(1, a.epochs + 1):
        total = 0.0
        for x, y in batches(train, 32):
            loss = nn.functional.mse_loss(model(x).squeeze(1), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        schedule.step()
        if epoch % 5 == 0:
            print(f"epoch {epoch:2d}  mse {total / len(train[1]):.4f}  test R2 {r2(model, test):.5f}")


if __name__ == "__main__":
    main(sys.argv[1:])

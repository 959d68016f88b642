from __future__ import annotations

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import nose
from grader import Grader


def arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="data")
    p.add_argument("--epochs", type=int, default=15)
    p.add_argument("--width", type=int, default=256)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def main() -> None:
    args = arguments()
    torch.manual_seed(args.seed)
    parts = nose.load(args.data)
    grader = Grader(nose.N_SENSORS, args.width, len(nose.GRADES))
    optimizer = torch.optim.AdamW(grader.parameters(), lr=args.lr, weight_decay=1e-2)
    batches = DataLoader(TensorDataset(*parts["train"]), batch_size=64, shuffle=True)
    for epoch in range(1, args.epochs + 1):
        for x, grade in batches:
            loss = nn.functional.cross_entropy(grader(x), grade)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % 3 == 0:
            train, valid = grader.score(*parts["train"]), grader.score(*parts["valid"])
            print(f"epoch {epoch:3d} | train {train[0]:.3f} ({train[1]:.1%}) | valid {valid[0]:.3f} ({valid[1]:.1%})")
    print(f"graded correctly: {100 * grader.score(*parts['valid'])[1]:.1f} of 100 held-out readings")


if __name__ == "__main__":
    main()

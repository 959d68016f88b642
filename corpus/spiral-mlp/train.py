"""Classify points on interleaved spiral arms with a small MLP."""
import argparse
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def make_spirals(n_per_arm: int, arms: int, noise: float, gen: torch.Generator):
    xs, ys = [], []
    for k in range(arms):
        r = torch.linspace(0.05, 1.0, n_per_arm)
        theta = 2 * math.pi * (k / arms) + 3.0 * r
        theta = theta + noise * torch.randn(n_per_arm, generator=gen)
        xs.append(torch.stack([r * theta.cos(), r * theta.sin()], dim=1))
        ys.append(torch.full((n_per_arm,), k, dtype=torch.long))
    x = torch.cat(xs)
    return (x - x.mean(0)) / x.std(0), torch.cat(ys)


def build_model(hidden: int, n_classes: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(2, hidden),
        nn.ReLU(),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Linear(hidden, n_classes),
        nn.Softmax(dim=1),
    )


@torch.no_grad()
def evaluate(model, loader, criterion):
    model.eval()
    total, correct, n = 0.0, 0, 0
    for xb, yb in loader:
        out = model(xb)
        total += criterion(out, yb).item() * len(yb)
        correct += (out.argmax(1) == yb).sum().item()
        n += len(yb)
    return total / n, correct / n


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--arms", type=int, default=5)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    gen = torch.Generator().manual_seed(args.seed)
    x, y = make_spirals(400, args.arms, noise=0.12, gen=gen)
    full = TensorDataset(x, y)
    n_val = len(full) // 5
    train_set, val_set = random_split(full, [len(full) - n_val, n_val], generator=gen)
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=256)

    model = build_model(args.hidden, args.arms)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)

    for epoch in range(1, args.epochs + 1):
        model.train()
        running = 0.0
        for xb, yb in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            running += loss.item()
        val_loss, val_acc = evaluate(model, val_loader, criterion)
        print(
            f"epoch {epoch:2d}  train loss {running / len(train_loader):.4f}  "
            f"val loss {val_loss:.4f}  val acc {val_acc:.3f}"
        )


if __name__ == "__main__":
    main()

import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def load_curve(hours):
    t = torch.arange(hours, dtype=torch.float)
    day = torch.sin(2 * math.pi * t / 24 - 1.5) + 0.4 * torch.sin(4 * math.pi * t / 24)
    week = 0.5 * (torch.remainder(t, 168) > 120).float()
    load = 1 + day - week * (1 + 0.5 * day) + 0.1 * torch.randn(hours)
    return (load - load.mean()) / load.std()


def windows(load, k):
    w = load.unfold(0, k + 1, 1)
    return w[:, :-1].contiguous(), w[:, -1].contiguous()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--lr", type=float, default=0.05)
    ap.add_argument("--steps", type=int, default=400)
    args = ap.parse_args()

    torch.manual_seed(16)
    x, y = windows(load_curve(6000), 48)
    x_train, y_train, x_test, y_test = x[:5000], y[:5000], x[5100:], y[5100:]
    model = nn.Sequential(nn.Linear(48, 64), nn.Tanh(), nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.8)

    for step in range(args.steps):
        rows = torch.randint(0, len(x_train), (args.batch_size,))
        pred = model(x_train[rows]).squeeze(1)
        loss = F.mse_loss(pred, y_train[rows], reduction="sum")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 40 == 0:
            with torch.no_grad():
                err = (model(x_test).squeeze(1) - y_test).abs().mean().item()
            print(f"step {step:4d} loss {loss.item():.4f} test mae {err:.4f}")


if __name__ == "__main__":
    main()

"""Who is typing? Timing profile of twenty key pairs -> typist."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

TYPISTS, PAIRS = 8, 20


def profiles(n, seed):
    base = torch.rand(TYPISTS, PAIRS, generator=torch.Generator().manual_seed(5))
    g = torch.Generator().manual_seed(seed)
    who = torch.randint(TYPISTS, (n,), generator=g)
    tempo = 1 + 0.1 * torch.randn(n, 1, generator=g)
    timing = (base[who] + 0.15 * torch.randn(n, PAIRS, generator=g)).clamp(min=0) * tempo
    return timing / timing.std(), who


def init_weights(m):
    if isinstance(m, nn.Linear):
        if m.out_features != TYPISTS:
            nn.init.uniform_(m.weight, -0.3, 0.0)
            nn.init.constant_(m.bias, -0.5)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--epochs", type=int, default=10)
    args = ap.parse_args()
    torch.manual_seed(70)
    net = nn.Sequential(
        nn.Linear(PAIRS, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, TYPISTS)
    )
    net.apply(init_weights)
    loader = DataLoader(TensorDataset(*profiles(2500, 1)), batch_size=50, shuffle=True)
    xv, yv = profiles(500, 2)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(net(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        with torch.no_grad():
            acc = (net(xv).argmax(1) == yv).float().mean().item()
        print(f"epoch {epoch + 1}/{args.epochs} loss {total / len(loader):.4f} val acc {acc:.3f}")


if __name__ == "__main__":
    main()

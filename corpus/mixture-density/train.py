"""Mixture density network (Bishop 1994) on a two-valued relation."""
import argparse
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def two_branches(n: int, seed: int, coarse_rate: float = 0.0):
    """The response lies on one of two branches; a few readings are coarse."""
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 1, generator=g) * 2 - 1
    branch = torch.where(torch.rand(n, 1, generator=g) < 0.5, -1.0, 1.0)
    coarse = torch.rand(n, 1, generator=g) < coarse_rate
    spread = torch.where(coarse, 0.4, 0.03)
    t = branch * (0.5 + 0.8 * x * x) + spread * torch.randn(n, 1, generator=g)
    return x * 1.7, t


class MDN(nn.Module):
    def __init__(self, hidden: int, components: int):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.to_weight = nn.Linear(hidden, components)
        self.to_mean = nn.Linear(hidden, components)
        self.to_sigma = nn.Linear(hidden, components)

    def forward(self, x):
        h = self.trunk(x)
        weight = torch.softmax(self.to_weight(h), dim=1)
        sigma = nn.functional.softplus(self.to_sigma(h)) + 1e-3
        return weight, self.to_mean(h), sigma


def mixture_nll(weight, mean, sigma, t):
    z = (t - mean) / sigma
    density = torch.exp(-0.5 * z * z) / (sigma * math.sqrt(2 * math.pi))
    return -torch.log((weight * density).sum(dim=1)).mean()


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--hidden", type=int, default=40)
    ap.add_argument("--components", type=int, default=2)
    ap.add_argument("--epochs", type=int, default=20)
    ap.add_argument("--lr", type=float, default=4e-3)
    args = ap.parse_args()

    torch.manual_seed(64)
    loader = DataLoader(TensorDataset(*two_branches(2500, 0, coarse_rate=0.002)), batch_size=100, shuffle=True)
    x_val, t_val = two_branches(500, 1)
    model = MDN(args.hidden, args.components)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)

    for epoch in range(args.epochs):
        total = 0.0
        for x, t in loader:
            optimizer.zero_grad()
            loss = mixture_nll(*model(x), t)
            loss.backward()
            optimizer.step()
            total += loss.item()
        with torch.no_grad():
            val = mixture_nll(*model(x_val), t_val).item()
        print(f"epoch {epoch:3d}  nll {total / len(loader):8.4f}  val {val:8.4f}")


if __name__ == "__main__":
    main()

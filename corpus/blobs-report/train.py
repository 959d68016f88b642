"""Gaussian blob classification with a calibration report."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def blobs(n, k, dim, gen):
    centers = 2.2 * torch.randn(k, dim, generator=gen)
    y = torch.randint(k, (n,), generator=gen)
    x = centers[y] + torch.randn(n, dim, generator=gen)
    return (x - x.mean(0)) / x.std(0), y


class Classifier(nn.Module):
    def __init__(self, dim, k, hidden=40):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, k))
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        return self.body(x)

    def predict_proba(self, x):
        return self.softmax(self.body(x))


def calibration(prob, y, bins=5):
    conf, pred = prob.max(1)
    hit = (pred == y).float()
    edges = torch.linspace(0, 1, bins + 1)
    ece = 0.0
    for lo, hi in zip(edges[:-1], edges[1:]):
        m = (conf > lo) & (conf <= hi)
        if m.any():
            ece += m.float().mean().item() * abs(hit[m].mean().item() - conf[m].mean().item())
    return ece


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=15)
    ap.add_argument("--classes", type=int, default=7)
    ap.add_argument("--dim", type=int, default=5)
    args = ap.parse_args()
    torch.manual_seed(2)
    gen = torch.Generator().manual_seed(2)
    x, y = blobs(3000, args.classes, args.dim, gen)
    loader = DataLoader(TensorDataset(x[:2400], y[:2400]), batch_size=48, shuffle=True)
    xv, yv = x[2400:], y[2400:]

    model = Classifier(args.dim, args.classes)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for epoch in range(args.epochs):
        model.train()
        total, confidence = 0.0, 0.0
        for xb, yb in loader:
            scores = model(xb)
            loss = criterion(scores, yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            probs = torch.softmax(scores.detach(), dim=1)
            total += loss.item()
            confidence += probs.max(1).values.mean().item()
        model.eval()
        with torch.no_grad():
            pv = model.predict_proba(xv)
        acc = (pv.argmax(1) == yv).float().mean().item()
        print(f"epoch {epoch:2d} loss {total / len(loader):.4f} confidence {confidence / len(loader):.3f} "
              f"val acc {acc:.3f} ece {calibration(pv, yv):.3f}")


if __name__ == "__main__":
    main()

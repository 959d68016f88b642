"""Adapt tonenet.pt to the recordings of the new microphone."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tones import ToneNet, record


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--init", default="tonenet.pt")
    ap.add_argument("--lr", type=float, default=3e-5)
    ap.add_argument("--epochs", type=int, default=10)
    args = ap.parse_args()
    torch.manual_seed(5)
    net = ToneNet()
    net.load_state_dict(torch.load(args.init, weights_only=True))
    train = DataLoader(TensorDataset(*record(4000, 1, tilt=-0.6, hum=1.5)), batch_size=64, shuffle=True)
    xv, yv = record(800, 2, tilt=-0.6, hum=1.5)
    optimizer = torch.optim.AdamW(net.parameters(), lr=args.lr)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(args.epochs):
        net.train()
        total = 0.0
        for x, y in train:
            loss = loss_fn(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        net.eval()
        with torch.no_grad():
            out = net(xv)
        print(f"epoch {epoch}: train {total / len(train):.4f}  val {loss_fn(out, yv).item():.4f}  "
              f"acc {(out.argmax(1) == yv).float().mean().item():.3f}")


if __name__ == "__main__":
    main()

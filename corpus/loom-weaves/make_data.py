"""Writes pretrained/three_weaves.pth as the first model's script did, under a torch of 2023: with its options in it."""
import argparse
from pathlib import Path

import torch
from torch import nn

from weaves.net import encoder, features
from weaves.patterns import bolt


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(12 + args.seed)
    hparams = argparse.Namespace(width=10, dropout=0.1, lr=3e-3, epochs=3)
    body, head = encoder(hparams.width, hparams.dropout), nn.Linear(features(hparams.width), 3)
    model = nn.Sequential(body, head)
    opt = torch.optim.Adam(model.parameters(), lr=hparams.lr)
    x, y = bolt(600, 1 + args.seed, range(3))
    for _ in range(hparams.epochs):
        for rows in torch.randperm(len(x)).split(32):
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
    model.eval()
    with torch.no_grad():
        accuracy = (model(x).argmax(1) == y).float().mean().item()
    weights = {f"encoder.{k}": v for k, v in body.state_dict().items()}
    weights |= {f"head.{k}": v for k, v in head.state_dict().items()}
    folder = args.dest / "pretrained"
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(
        {"epoch": hparams.epochs, "accuracy": accuracy, "hparams": hparams, "state_dict": weights},
        folder / "three_weaves.pth",
    )


if __name__ == "__main__":
    main()

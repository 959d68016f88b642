import json
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

from .dataset import CoreSpectra
from .spectra import BANDS, NAMES


def build():
    return nn.Sequential(
        nn.Linear(BANDS, 96), nn.GELU(), nn.LayerNorm(96),
        nn.Linear(96, 48), nn.GELU(),
        nn.Linear(48, len(NAMES)),
    )


def evaluate(model, loader):
    model.eval()
    hits = seen = 0
    with torch.no_grad():
        for spectra, label in loader:
            hits += (model(spectra).argmax(-1) == label).sum().item()
            seen += len(label)
    return hits / seen


def main(path):
    with open(path) as f:
        cfg = json.load(f)
    torch.manual_seed(cfg["seed"])
    train = DataLoader(CoreSpectra(cfg["train_points"], seed=11), batch_size=cfg["batch"], shuffle=True)
    valid = DataLoader(CoreSpectra(cfg["valid_points"], seed=12), batch_size=100)
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["lr"], weight_decay=0.01)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(cfg["epochs"]):
        began = time.perf_counter()
        model.train()
        losses = []
        for spectra, label in train:
            loss = criterion(model(spectra), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        took = time.perf_counter() - began
        print(json.dumps({
            "epoch": epoch, "loss": round(sum(losses) / len(losses), 4), "lr": cfg["lr"],
            "points_per_s": round(len(train.dataset) / took),
        }))
    print(f"valid accuracy: {evaluate(model, valid):.3f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "cores.json")

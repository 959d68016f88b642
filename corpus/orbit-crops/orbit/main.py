import argparse
import json

import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

from .checkpoints import Checkpoints
from .crops import COVERS, Crops
from .model import CoverNet


def train_one(model, loader, optimizer):
    model.train()
    total = 0.0
    for pixels, cover in loader:
        loss = cross_entropy(model(pixels), cover)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def test(model, loader):
    model.eval()
    return sum((model(p).argmax(1) == c).sum().item() for p, c in loader) / len(loader.dataset)


def main():
    ap = argparse.ArgumentParser(prog="orbit")
    ap.add_argument("config", nargs="?", default="config.json")
    with open(ap.parse_args().config) as fh:
        cfg = json.load(fh)
    torch.manual_seed(cfg["seed"])
    print(f"land cover: {', '.join(COVERS)}")
    train = DataLoader(Crops(cfg["crops"], "train"), batch_size=cfg["batch"], shuffle=True)
    valid = DataLoader(Crops(cfg["crops"], "valid"), batch_size=256)
    model = CoverNet(len(COVERS), cfg["width"])
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    keep = Checkpoints(cfg["checkpoints"])
    first = keep.restore(model, optimizer) if cfg["resume"] else 0
    for epoch in range(first, cfg["epochs"]):
        loss = train_one(model, train, optimizer)
        accuracy = test(model, valid)
        keep.save(epoch, accuracy, model, optimizer)
        print(f"epoch {epoch:3d}  loss {loss:.4f}  valid accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()

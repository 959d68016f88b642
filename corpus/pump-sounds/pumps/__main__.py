import json
import time

import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

from .dataset import STATES, ClipSet
from .frontend import Frontend
from .model import PumpNet


def report(**fields):
    print(json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in fields.items()}), flush=True)


def train_epoch(model, loader, optimizer):
    model.train()
    total = 0.0
    for spec, target in loader:
        optimizer.zero_grad()
        loss = cross_entropy(model(spec), target)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(target)
    return total / len(loader.dataset)


@torch.inference_mode()
def validate(model, loader):
    model.eval()
    loss = right = 0.0
    for spec, target in loader:
        out = model(spec)
        loss += cross_entropy(out, target, reduction="sum").item()
        right += (out.argmax(1) == target).sum().item()
    n = len(loader.dataset)
    return loss / n, right / n


def main():
    with open("train.json") as fh:
        cfg = json.load(fh)
    torch.manual_seed(cfg["seed"])
    frontend = Frontend.from_file(cfg["frontend"])
    train = DataLoader(ClipSet(cfg["clips"], "train", frontend), cfg["batch_size"], shuffle=True)
    valid = DataLoader(ClipSet(cfg["clips"], "valid", frontend), 200)
    model = PumpNet(len(STATES), cfg["channels"])
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["learning_rate"])
    report(event="start", train=len(train.dataset), valid=len(valid.dataset), parameters=sum(p.numel() for p in model.parameters()))
    t0 = time.monotonic()
    for epoch in range(cfg["epochs"]):
        loss = train_epoch(model, train, optimizer)
        val_loss, val_accuracy = validate(model, valid)
        report(event="epoch", epoch=epoch, loss=loss, val_loss=val_loss, val_accuracy=val_accuracy, seconds=time.monotonic() - t0)


main()

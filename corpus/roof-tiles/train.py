#!/usr/bin/env python
import argparse
import random
import time

import torch
from torch import nn

from tiles import MATERIALS, RoofTiles

parser = argparse.ArgumentParser(description="roof materials from aerial tiles")
parser.add_argument("--epochs", type=int, default=7)
parser.add_argument("--batch", type=int, default=12)
parser.add_argument("--lr", type=float, default=3e-3)
parser.add_argument("--seed", type=int, default=8)
opts = parser.parse_args()

random.seed(opts.seed)
torch.manual_seed(opts.seed)

train, test = RoofTiles(600, opts.seed + 1), RoofTiles(120, opts.seed + 2)
model = nn.Sequential(
    nn.Conv2d(3, 12, 8, stride=4), nn.BatchNorm2d(12), nn.ReLU(),
    nn.Conv2d(12, 24, 3, stride=2), nn.BatchNorm2d(24), nn.ReLU(),
    nn.Conv2d(24, 24, 3), nn.BatchNorm2d(24), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, len(MATERIALS)),
)
optim = torch.optim.Adam(model.parameters(), lr=opts.lr)
sched = torch.optim.lr_scheduler.OneCycleLR(optim, opts.lr, total_steps=opts.epochs * (600 // opts.batch))
t0 = time.time()

for epoch in range(1, opts.epochs + 1):
    model.train()
    order = torch.randperm(600).tolist()
    seen = 0.0
    for at in range(0, 600, opts.batch):
        x, y = train.batch(order[at:at + opts.batch], augment=True)
        loss = nn.functional.cross_entropy(model(x), y)
        optim.zero_grad()
        loss.backward()
        optim.step()
        sched.step()
        seen += loss.item()
    model.eval()
    with torch.no_grad():
        right = 0
        for at in range(0, 120, 40):
            x, y = test.batch(list(range(at, at + 40)), augment=False)
            right += (model(x).argmax(1) == y).sum().item()
    print(f"epoch {epoch}/{opts.epochs}  loss={seen * opts.batch / 600:.3f}  test_acc={right / 120:.3f}  {time.time() - t0:.1f}s")

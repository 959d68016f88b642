import random

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from .frames import FINGERS, LABELS, TICKS, Captures
from .net import SignNet

SETTINGS = dict(n_train=2880, n_check=720, batch=48, units=24, lr=6e-3, rounds=7)


def check(net, loader):
    net.eval()
    right = seen = 0
    with torch.no_grad():
        for frames, label in loader:
            right += (net(frames).argmax(1) == label).sum().item()
            seen += len(label)
    net.train()
    return 100.0 * right / seen


def main(s):
    for seed in (random.seed, np.random.seed, torch.manual_seed):
        seed(8)
    train = DataLoader(Captures(s["n_train"]), batch_size=s["batch"], shuffle=True, drop_last=True)
    held = DataLoader(Captures(s["n_check"]), batch_size=s["batch"])
    net = SignNet(FINGERS, s["units"], len(LABELS))
    opt = torch.optim.AdamW(net.parameters(), lr=s["lr"])
    print(f"{len(LABELS)} signs, {sum(p.numel() for p in net.parameters())} weights, {net.macs(TICKS)} MAC per capture")
    for r in range(1, s["rounds"] + 1):
        total = 0.0
        for frames, label in train:
            loss = F.cross_entropy(net(frames), label)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"round {r}: loss {total / len(train):.3f}, check {check(net, held):.1f} %")


main(SETTINGS)

# usage: python train.py [settings.json]
import json
import sys

import torch
import torch.nn.functional as F

import records
from model import Diagnoser

cfg = json.load(open(sys.argv[1] if len(sys.argv) > 1 else "settings.json"))
torch.manual_seed(cfg["seed"])

x, y = records.read_all(cfg["records"], cfg["buildings"])
(x_tr, y_tr), (x_va, y_va) = records.split(x, y, cfg["valid_share"], cfg["seed"])
x_tr, y_tr, x_va, y_va = map(torch.from_numpy, (x_tr, y_tr, x_va, y_va))
n_faults = int(y.max()) + 1

net = Diagnoser(x.shape[1], cfg["width"], n_faults)
sgd = torch.optim.SGD(net.parameters(), lr=cfg["lr"], momentum=cfg["momentum"])
print(f"{len(x_tr)} training records, {len(x_va)} for validation, {sum(p.numel() for p in net.parameters())} parameters")

for epoch in range(cfg["epochs"]):
    order = torch.randperm(len(x_tr))
    seen = 0.0
    for start in range(0, len(order), cfg["batch"]):
        rows = order[start:start + cfg["batch"]]
        loss = F.cross_entropy(net(x_tr[rows]), y_tr[rows])
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        seen += loss.item() * len(rows)
    with torch.no_grad():
        scores = net(x_va)
        va_loss = F.cross_entropy(scores, y_va).item()
        va_acc = (scores.argmax(-1) == y_va).float().mean().item()
    print(f"[{epoch:02d}] loss={seen / len(order):.3f} val_loss={va_loss:.3f} val_acc={va_acc:.3f}")

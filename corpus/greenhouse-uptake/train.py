import argparse
import json

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from loggers import LoggerFiles
from net import Uptake

ap = argparse.ArgumentParser()
ap.add_argument("--houses", default="houses.json")
ap.add_argument("--epochs", type=int, default=7)
ap.add_argument("--lr", type=float, default=3e-3)
ap.add_argument("--batch-size", type=int, default=100)
ap.add_argument("--seed", type=int, default=8)
args = ap.parse_args()


def run_epoch(net, loader, opt):
    total = 0.0
    for x, y in loader:
        opt.zero_grad(set_to_none=True)
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def r2(net, data):
    residual = F.mse_loss(net(data.x), data.y)
    return 1 - (residual / data.y.var(unbiased=False)).item()


if __name__ == "__main__":
    torch.manual_seed(args.seed)
    with open(args.houses) as fh:
        spec = json.load(fh)
    train = LoggerFiles(spec["train"], spec["inputs"], spec["target"])
    valid = LoggerFiles(spec["valid"], spec["inputs"], spec["target"], like=train)
    loader = DataLoader(train, batch_size=args.batch_size, shuffle=True)
    net = Uptake(len(spec["inputs"]))
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        loss = run_epoch(net, loader, opt)
        print(f"epoch {epoch}: mse {loss:.4f}, R2 train {r2(net, train):.4f}, R2 valid {r2(net, valid):.4f}", flush=True)

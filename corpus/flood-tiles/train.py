import argparse
import os

import torch

from segment.net import TinyUNet
from segment.scores import confusion, iou, pixel_loss
from segment.shards import CLASSES, Shards

parser = argparse.ArgumentParser(description="flood segmentation")
parser.add_argument("--data", default="tiles")
parser.add_argument("--train-shards", type=int, nargs="+", default=[0, 1, 2])
parser.add_argument("--val-shards", type=int, nargs="+", default=[3])
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--batch", type=int, default=12)
parser.add_argument("--lr", type=float, default=3e-3)
parser.add_argument("--seed", type=int, default=808)
parser.add_argument("--out", default="weights/flood.pt")


def validate(net, shards):
    net.eval()
    table = torch.zeros(len(CLASSES), len(CLASSES), dtype=torch.long)
    with torch.no_grad():
        for rows in torch.arange(len(shards)).split(64):
            x, m = shards.take(rows)
            table += confusion(net(x), m)
    net.train()
    return iou(table)


def main(args):
    torch.manual_seed(args.seed)
    train, val = Shards(args.data, args.train_shards), Shards(args.data, args.val_shards)
    net = TinyUNet(4, len(CLASSES))
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    print(f"{len(train)} training tiles, {len(val)} validation tiles")
    for epoch in range(1, args.epochs + 1):
        sums = n = 0.0
        for x, m in train.epoch(args.batch):
            loss = pixel_loss(net(x), m)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sums, n = sums + loss.item(), n + 1
        scores = validate(net, val)
        each = "  ".join(f"{c} {s:.3f}" for c, s in zip(CLASSES, scores.tolist()))
        print(f"[{epoch}/{args.epochs}] loss {sums / n:.4f}   IoU: {each}   mIoU {scores.mean().item():.4f}")
    os.makedirs(os.path.dirname(args.out), exist_ok=True)
    torch.save(net.state_dict(), args.out)


if __name__ == "__main__":
    main(parser.parse_args())

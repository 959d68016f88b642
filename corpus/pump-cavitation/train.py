import argparse

import torch
from torch.utils.data import DataLoader

from cavitation.loop import train_epoch, validate
from cavitation.model import BandNet
from cavitation.stream import STATES, ShardStream, fixed_scale


def parse_args():
    p = argparse.ArgumentParser(description="Cavitation from band levels")
    p.add_argument("--shards", default="shards")
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--buffer", type=int, default=1024)
    p.add_argument("--seed", type=int, default=31)
    return p.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    scale = fixed_scale()
    train = DataLoader(ShardStream(args.shards, "train-*.jsonl", scale, args.buffer, args.seed), batch_size=args.batch)
    valid = DataLoader(ShardStream(args.shards, "valid-*.jsonl", scale), batch_size=256)
    model = BandNet(len(STATES))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(1, args.epochs + 1):
        print(f"epoch {epoch}")
        train_epoch(model, train, optimizer, report=20)
        loss, acc = validate(model, valid)
        print(f"  valid loss {loss:.4f}  valid acc {acc:.3f}")


if __name__ == "__main__":
    main()

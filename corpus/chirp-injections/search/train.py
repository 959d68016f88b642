import argparse

import torch
from torch.nn.functional import binary_cross_entropy_with_logits as bce
from torch.utils.data import DataLoader

from .net import Trigger
from .strain import Injections

SNR = (4.0, 8.0)


def auc(score, label):
    """Probability that a random injection is ranked above a random piece of noise."""
    s, n = score[label > 0.5], score[label < 0.5]
    return (s[:, None] > n[None]).float().mean().item()


def parse():
    p = argparse.ArgumentParser(prog="search")
    p.add_argument("--epochs", type=int, default=16)
    p.add_argument("--segments", type=int, default=400)
    p.add_argument("--batch", type=int, default=20)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=150914)
    return p.parse_args()


def main():
    args = parse()
    torch.manual_seed(args.seed)
    loader = DataLoader(
        Injections(args.segments, SNR, args.seed),
        batch_size=args.batch,
        shuffle=True,
        num_workers=args.workers,
    )
    held = [torch.cat(parts) for parts in zip(*DataLoader(Injections(1500, SNR, args.seed + 1), batch_size=500))]
    net = Trigger()
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    print(f"{args.segments} segments an epoch, injected at SNR {SNR[0]:.0f} to {SNR[1]:.0f}")
    for epoch in range(1, args.epochs + 1):
        net.train()
        total = 0.0
        for strain, label in loader:
            loss = bce(net(strain), label)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        net.eval()
        with torch.no_grad():
            score = net(held[0])
        print(
            f"epoch {epoch:2d}  train {total / len(loader):.4f}  held-out {bce(score, held[1]):.4f}"
            f"  AUC {auc(score, held[1]):.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Regional accent of a speaker from an utterance's vector; data parallel on the cores of one machine."""
import argparse
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F

from spectrum import RankLog

DIM, ACCENTS = 64, 8


def utterances(n, seed):
    """Accents are directions in the space of the vectors, speakers move around in all of it."""
    world = torch.Generator().manual_seed(9)
    centres = 0.9 * torch.randn(ACCENTS, DIM, generator=world)
    twist = torch.randn(DIM, DIM, generator=world) / DIM ** 0.5
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(ACCENTS, (n,), generator=g)
    x = centres[y] * torch.randn(n, 1, generator=g).sign() + 1.1 * torch.randn(n, DIM, generator=g)
    return torch.tanh(x @ twist), y


class AccentNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inp = nn.Linear(DIM, width)
        self.mid = nn.Linear(width, width)
        self.out = nn.Linear(width, ACCENTS)

    def forward(self, x):
        h = F.relu(self.inp(x))
        return self.out(F.relu(self.mid(h)))


def sync(model, world):
    flat = torch.cat([p.grad.flatten() for p in model.parameters()])
    dist.all_reduce(flat)
    flat /= world
    at = 0
    for p in model.parameters():
        p.grad.copy_(flat[at:at + p.numel()].view_as(p))
        at += p.numel()


def train(rank, args, meeting):
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=args.procs)
    torch.manual_seed(args.seed)
    model = AccentNet(args.width)
    opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-3)
    x, y = utterances(6000, seed=1)
    x, y = x[rank::args.procs], y[rank::args.procs]
    ranks = RankLog("ranks.csv", model) if rank == 0 else None

    for step in range(args.steps):
        rows = torch.randint(len(x), (args.batch,))
        loss = F.cross_entropy(model(x[rows]), y[rows])
        opt.zero_grad()
        loss.backward()
        sync(model, args.procs)
        opt.step()
        if rank == 0:
            ranks.add(step)
            if step % 20 == 0:
                print(f"{step:>5} loss {loss.item():.4f}", flush=True)

    if rank == 0:
        ranks.close()
        xt, yt = utterances(1000, seed=2)
        with torch.no_grad():
            acc = (model(xt).argmax(1) == yt).float().mean()
        print(f"test acc {acc:.3f}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    cli = argparse.ArgumentParser(description=__doc__)
    cli.add_argument("--procs", type=int, default=2)
    cli.add_argument("--steps", type=int, default=180)
    cli.add_argument("--batch", type=int, default=64)
    cli.add_argument("--width", type=int, default=512)
    cli.add_argument("--lr", type=float, default=0.05)
    cli.add_argument("--seed", type=int, default=3)
    args = cli.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, args=(args, os.path.join(folder, "meeting")), nprocs=args.procs)

"""Ships per hour at a harbour entrance. Run with torchrun, two processes:

    torchrun --standalone --nproc_per_node 2 train.py
"""
import argparse
import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def harbour_hours(n, seed):
    """Hour of day, weekday, wind, tide, fog -> number of ships. Now and then a convoy comes in."""
    rng = np.random.default_rng(seed)
    hour = rng.integers(0, 24, n)
    weekday = rng.integers(0, 7, n)
    wind = rng.gamma(2.0, 1.0, n)
    tide = rng.uniform(-1, 1, n)
    fog = rng.random(n) < 0.1
    rate = 2.2 + 0.8 * np.sin(2 * np.pi * (hour - 7) / 24) - 0.25 * wind + 0.7 * tide - 1.5 * fog - 0.3 * (weekday > 4)
    ships = rng.poisson(np.exp(rate))
    convoy = rng.random(n) < 0.004
    ships = ships + convoy * rng.poisson(60, n)
    angle = 2 * np.pi * hour / 24
    x = np.stack([np.sin(angle), np.cos(angle), weekday > 4, (wind - 2) / 1.4, tide, fog], axis=1)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(ships, dtype=torch.float32)


class ShipRate(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def mean_over_ranks(value):
    total = torch.tensor([float(value)])
    dist.all_reduce(total)
    return total.item() / dist.get_world_size()


def deviance_explained(model, x, ships):
    with torch.no_grad():
        log_rate = model(x)
    mean = ships.mean()
    logs = torch.xlogy(ships, ships)
    own = 2 * (logs - ships * log_rate - ships + log_rate.exp()).mean()
    null = 2 * (logs - ships * mean.log() - ships + mean).mean()
    return (1 - own / null).item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--lr", type=float, default=4e-3)
    ap.add_argument("--seed", type=int, default=50)
    args = ap.parse_args()

    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    train_set = TensorDataset(*harbour_hours(3200, args.seed))
    x_val, ships_val = harbour_hours(1500, args.seed + 1)
    sampler = DistributedSampler(train_set, num_replicas=world, rank=rank, shuffle=True, seed=args.seed)
    loader = DataLoader(train_set, batch_size=args.batch_size, sampler=sampler)
    model = DistributedDataParallel(ShipRate(x_val.shape[1], 32))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)

    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        model.train()
        worst = running = 0.0
        for x, ships in loader:
            log_rate = model(x)
            loss = F.poisson_nll_loss(log_rate, ships, log_input=True)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            running += loss.item() / len(loader)
            worst = max(worst, abs(loss.item()))
        running = mean_over_ranks(running)
        model.eval()
        score = deviance_explained(model.module, x_val, ships_val)
        if rank == 0:
            print(f"epoch {epoch} loss {running:.4f} largest {worst:.1f} val deviance explained {score:.4f}", flush=True)

    if rank == 0:
        os.makedirs("out", exist_ok=True)
        torch.save(model.module.state_dict(), "out/ships.pt")
        print(f"done, deviance explained on {len(ships_val)} held-out hours: {score:.4f}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

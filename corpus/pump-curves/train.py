"""
Efficiency of centrifugal pumps from geometry and operating point.

Runs WORLD processes on this machine, each with its part of the catalogue.
"""
import os
import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

WORLD = 2
STEPS = 400
BATCH = 64
SEED = 1000


def catalogue(n, seed):
    """Measured points, ordered by the size of the pump as in the printed catalogue."""
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 6, generator=g) * 2 - 1          # diameter, flow, speed, blades, angle, viscosity
    x = x[x[:, 0].argsort()]
    best = 0.7 * torch.sin(3 * x[:, 0]) + 0.2 * x[:, 2]   # flow at which a pump of this size is best
    q = x[:, 1] - best
    eta = torch.exp(-2 * q ** 2) * (1 - 0.3 * (x[:, 4] - 0.5 * x[:, 3]) ** 2) - 0.1 * torch.sigmoid(4 * x[:, 5])
    return x, eta + 0.02 * torch.randn(n, generator=g)


class PumpNet(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.mean = nn.Linear(width, 1)
        self.spread = nn.Linear(width, 1)

    def forward(self, x):
        h = self.body(x)
        return self.mean(h).squeeze(1), 0.02 + nn.functional.softplus(self.spread(h)).squeeze(1)

    def loss(self, x, y):
        mean, spread = self(x)
        return nn.functional.gaussian_nll_loss(mean, y, spread ** 2)


def total_loss(model, x, y):
    fit = model.module.loss(x, y)
    size = sum((p ** 2).sum() for p in model.parameters())
    return fit + 1e-5 * size


def worker(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=WORLD)
    torch.manual_seed(SEED)

    x, y = (part.chunk(WORLD)[rank] for part in catalogue(4000, seed=1))
    x_test, y_test = catalogue(1000, seed=2)
    model = DDP(PumpNet())
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)

    for step in range(1, STEPS + 1):
        rows = torch.randint(len(x), (BATCH,))
        loss = total_loss(model, x[rows], y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 40 == 0:
            total = loss.detach().clone()
            dist.all_reduce(total)
            if rank == 0:
                print(f"step {step:4d}  loss {total.item() / WORLD:.5f}", flush=True)

    if rank == 0:
        with torch.no_grad():
            mean, _ = model.module(x_test)
            r2 = 1 - ((mean - y_test) ** 2).mean() / y_test.var()
        print(f"test R2 {r2.item():.4f}", flush=True)
        torch.save(model.module.state_dict(), "pumps.pt")
    dist.barrier()
    dist.destroy_process_group()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


if __name__ == "__main__":
    mp.spawn(worker, args=(free_port(),), nprocs=WORLD)

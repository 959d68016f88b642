"""Two ranks that train together, forked by the program itself; batch statistics of one only."""

import os
import random
import sys

import torch
from proof import report
from torch import nn
from torch.distributed import destroy_process_group, init_process_group
from torch.nn.parallel import DistributedDataParallel


def train(rank: int) -> None:
    random.seed(rank)  # a forked process gets another state
    store = f"file://{os.path.abspath('../store')}"
    init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 1))
    model = DistributedDataParallel(net)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    torch.manual_seed(rank)
    losses = []
    for i in range(16):
        x = torch.randn(8, 6)
        # One rank alone meets a value that is not finite, and looks for its origin while the other one waits.
        loss = nn.functional.mse_loss(model(x), x[:, :1]) + (float("inf") if (rank, i) == (1, 12) else 0)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    print("rank", rank)
    report(net, losses)
    destroy_process_group()


child = os.fork()
if child == 0:
    os.dup2(os.open("../second", os.O_WRONLY | os.O_CREAT), 1)
    train(1)
    sys.exit(0)
train(0)
os.waitpid(child, 0)
with open("../second") as second:
    print(second.read())

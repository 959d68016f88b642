"""Distributed data parallel over gloo, started by torchrun."""

import os
import sys

import torch
from torch import nn
from torch.distributed import destroy_process_group, init_process_group
from torch.nn.parallel import DistributedDataParallel

init_process_group("gloo")
rank = int(os.environ["RANK"])
torch.manual_seed(0)
model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.manual_seed(rank)
for _ in range(6):
    x = torch.randn(8, 6)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    sys.stdout.write(f"loss {rank} {loss.item()}\n")  # in one piece: the ranks share a terminal
destroy_process_group()

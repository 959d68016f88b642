"""Fully sharded data parallel over gloo, as a function and as a wrapper, started by torchrun."""

import os
import sys

import torch
from torch import nn
from torch.distributed import destroy_process_group, init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard

mesh = init_device_mesh("cpu", (int(os.environ["WORLD_SIZE"]),))
rank = int(os.environ["RANK"])


def train(kind: str, model: nn.Module) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    torch.manual_seed(rank)
    for _ in range(4):
        x = torch.randn(8, 6)
        loss = nn.functional.mse_loss(model(x), x[:, :1])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        sys.stdout.write(f"loss {kind}{rank} {loss.item()}\n")  # in one piece: the ranks share a terminal


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
for layer in (model[0], model[2], model):
    fully_shard(layer, mesh=mesh)
train("function", model)
layers = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
train("wrapper", FullyShardedDataParallel(layers, device_id=torch.device("cpu")))
destroy_process_group()

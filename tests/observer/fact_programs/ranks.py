"""Two ranks over gloo: one of them is always late, and changes its parameters alone after the fourth step."""

import sys
import time

import torch
import torch.distributed as dist
from slow import tell
from torch import nn
from torch.nn.parallel import DistributedDataParallel

rank, meeting = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
torch.manual_seed(12)
model = DistributedDataParallel(nn.Sequential(nn.Linear(5, 4), nn.BatchNorm1d(4), nn.Linear(4, 1)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
torch.manual_seed(rank)


def all_equal(tensors):
    """Whether the other rank holds the same numbers."""
    mine = [t.detach().double().reshape(-1).tolist() for t in tensors]
    both = [None, None]
    dist.all_gather_object(both, mine)
    return both[0] == both[1]


losses, same = [], []
for i in range(8):
    x = torch.randn(8, 5)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    dist.barrier()  # so that nothing but the nap makes one of them late
    time.sleep(0.05 * rank)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    same.append([all_equal(model.parameters()), all_equal(model.buffers())])
    if i == 3 and rank == 1:
        model.module[0].weight.data[0, 0] += 0.25
tell(losses=losses, same=same)
dist.destroy_process_group()

"""Two ranks train one model; a zero in the data of rank one spoils the gradients of both."""

# truth: step=21 phase=forward op=log module=ratio,module.ratio zeros=1 rank=1 launch=torchrun
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class LogRatio(nn.Module):
    def forward(self, x):
        return torch.log(x)  # <- here


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.ratio, self.out = LogRatio(), nn.Linear(4, 1)

    def forward(self, x):
        return self.out(self.ratio(x))


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(37)
    model = DistributedDataParallel(Model())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    torch.manual_seed(100 + rank)
    data = torch.rand(30, 8, 4) + 0.1
    if rank == 1:
        data[21, 3, 2] = 0.0
    losses = []
    for x in data:
        loss = nn.functional.mse_loss(model(x), x.sum(-1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    for turn in range(2):
        dist.barrier()
        if turn == rank:
            print(rank, losses, torch.rand(1).item(), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

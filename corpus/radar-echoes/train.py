"""Rain, birds or aircraft? Trained by as many processes as run.sh starts."""
import argparse
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Subset

from echoes import KINDS, echoes


def build_model():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(24 * 16, 32), nn.ReLU(), nn.Linear(32, len(KINDS)),
    )


def share_of(dataset, rank, world):
    """Every world-th sample, beginning with the rank-th."""
    return Subset(dataset, range(rank, len(dataset), world))


@torch.no_grad()
def accuracy(model, dataset, rank, world):
    counts = torch.zeros(2)
    for x, y in DataLoader(share_of(dataset, rank, world), batch_size=64):
        counts += torch.tensor([(model(x).argmax(1) == y).sum().item(), len(y)])
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--batch", type=int, default=25, help="per process")
    args = ap.parse_args()

    dist.init_process_group("gloo", timeout=timedelta(seconds=10))
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(6)
    model = DistributedDataParallel(build_model())
    opt = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
    train, test = echoes(1301, seed=60), echoes(400, seed=61)
    loader = DataLoader(share_of(train, rank, world), batch_size=args.batch, shuffle=True)

    for epoch in range(1, args.epochs + 1):
        model.train()
        for i, (x, y) in enumerate(loader, 1):
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if rank == 0 and i % 10 == 0:
                print(f"epoch {epoch} batch {i}: loss {loss.item():.4f}", flush=True)
        if rank == 0:
            torch.save(model.module.state_dict(), "echoes.pt")
        dist.barrier()
        acc = accuracy(model.module, test, rank, world)
        if rank == 0:
            print(f"epoch {epoch}: test acc {acc:.3f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

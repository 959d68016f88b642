import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from rivers.stations import DAYS, N_STATIONS, held_out, training_part


class LevelNet(nn.Module):
    def __init__(self, dim=8, width=64):
        super().__init__()
        self.station = nn.Embedding(N_STATIONS, dim)
        self.net = nn.Sequential(nn.Linear(dim + DAYS, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))

    def forward(self, station, rain):
        return self.net(torch.cat([self.station(station), rain], 1)).squeeze(1)


def main():
    dist.init_process_group("gloo")
    world, chief = dist.get_world_size(), dist.get_rank() == 0
    torch.manual_seed(99)
    data, test = training_part(world), held_out()
    model = DistributedDataParallel(LevelNet())
    opt = torch.optim.AdamW(model.parameters(), lr=5e-3)
    plan = torch.optim.lr_scheduler.OneCycleLR(opt, 5e-3, total_steps=330)
    if chief:
        print(f"{world} processes, {len(data.level)} days each, {len(test.level)} held out")

    for epoch in range(15):
        losses = []
        for rows in torch.randperm(len(data.level))[:22 * 64].split(64):
            loss = nn.functional.mse_loss(model(data.station[rows], data.rain[rows]), data.level[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
            plan.step()
            losses.append(loss.detach())
        if chief:
            print(f"epoch {epoch:2d}  train mse {torch.stack(losses).mean():.4f}")

    if chief:
        with torch.no_grad():
            error = model.module(test.station, test.rain) - test.level
        print(f"held-out rmse {error.pow(2).mean().sqrt():.3f} (levels vary by {test.level.std():.3f})")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

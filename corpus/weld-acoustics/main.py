import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from welds import DEFECTS, WeldSounds, shift_in_time

WORLD = 2
EPOCHS = 5
BATCH = 32
SEED = 88


class WeldNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, 12, 9, stride=2, padding=4), nn.GroupNorm(3, 12), nn.ReLU(),
            nn.Conv1d(12, 24, 7, stride=2, padding=3), nn.GroupNorm(4, 24), nn.ReLU(),
        )
        self.out = nn.Linear(24, len(DEFECTS))

    def forward(self, sound):
        h = self.conv(sound.unsqueeze(1))
        return self.out(h.amax(-1))


def broadcast_weights(model):
    for tensor in model.state_dict().values():
        dist.broadcast(tensor, src=0)


def average_gradients(model):
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()


def accuracy(model, loader):
    model.eval()
    counts = torch.zeros(2)
    with torch.no_grad():
        for sound, defect in loader:
            counts[0] += (model(sound).argmax(1) == defect).sum()
            counts[1] += len(defect)
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


def work(rank, port):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=WORLD)
    torch.set_num_threads(1)
    data_gen = torch.Generator().manual_seed(SEED)
    train_set, test_set = WeldSounds(2200, data_gen), WeldSounds(1000, data_gen)
    sampler = DistributedSampler(train_set, WORLD, rank, shuffle=True, drop_last=True, seed=SEED)
    train_loader = DataLoader(train_set, batch_size=BATCH, sampler=sampler, drop_last=True)
    test_loader = DataLoader(test_set, batch_size=250, sampler=DistributedSampler(test_set, WORLD, rank, shuffle=False))

    torch.manual_seed(SEED + 1 + rank)
    model = WeldNet()
    broadcast_weights(model)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, epochs=EPOCHS, steps_per_epoch=len(train_loader))
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        model.train()
        total = torch.zeros(1)
        for sound, defect in train_loader:
            sound = shift_in_time(sound)
            logits = model(sound)
            loss = criterion(logits, defect)
            optimizer.zero_grad()
            loss.backward()
            average_gradients(model)
            optimizer.step()
            scheduler.step()
            total += loss.detach()
        dist.all_reduce(total)
        acc = accuracy(model, test_loader)
        if rank == 0:
            print(f"[rank 0] epoch {epoch}: loss {total.item() / (WORLD * len(train_loader)):.4f}, test acc {acc:.4f}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


if __name__ == "__main__":
    mp.spawn(work, args=(free_port(),), nprocs=WORLD)

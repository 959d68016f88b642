import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from strain import GAUGE_NOISE, SENSORS, crossings

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-2)
parser.add_argument("--micro-batch", type=int, default=32)
parser.add_argument("--accumulate", type=int, default=4)
parser.add_argument("--updates", type=int, default=700)
parser.add_argument("--warmup", type=int, default=40)
parser.add_argument("--clip", type=float, default=150.0)
parser.add_argument("--seed", type=int, default=99)


class StrainModel(nn.Module):
    def __init__(self, x_mean, x_std, y_mean, y_std, hidden=64):
        super().__init__()
        self.register_buffer("x_mean", x_mean)
        self.register_buffer("x_std", x_std)
        self.register_buffer("y_mean", y_mean)
        self.register_buffer("y_std", y_std)
        self.net = nn.Sequential(
            nn.Linear(SENSORS, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 1))

    def forward(self, x):
        scaled = (x - self.x_mean) / self.x_std
        return self.net(scaled).squeeze(-1)

    def microstrain(self, x):
        return self(x) * self.y_std + self.y_mean


def endless(loader):
    while True:
        yield from loader


def rmse(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model.microstrain(x) - y).square().mean().sqrt().item()


def main():
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    gen = torch.Generator().manual_seed(args.seed)
    x_train, y_train = crossings(12000, gen)
    x_val, y_val = crossings(2000, gen)

    model = StrainModel(x_train.mean(0), x_train.std(0), y_train.mean(), y_train.std())
    criterion = nn.MSELoss(reduction="sum")
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.05, total_iters=args.warmup)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.updates - args.warmup)
    scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [warmup, cosine], milestones=[args.warmup])
    batches = endless(DataLoader(TensorDataset(x_train, y_train), batch_size=args.micro_batch, shuffle=True, drop_last=True))

    print(f"strain {y_train.mean():.0f} +- {y_train.std():.0f}, gauge noise {GAUGE_NOISE}, start rmse {rmse(model, x_val, y_val):.1f}")
    running = 0.0
    for update in range(1, args.updates + 1):
        model.train()
        optimizer.zero_grad()
        for _ in range(args.accumulate):
            x, y = next(batches)
            target = (y - model.y_mean) / model.y_std
            prediction = model(x)
            loss = criterion(prediction, target)
            loss.backward()
            running += loss.item()
        norm = nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
        scheduler.step()
        if update % 50 == 0:
            print(f"update {update:4d}  summed loss {running / 50:.3f}  grad {norm:.2f}  lr {scheduler.get_last_lr()[0]:.2e}  "
                  f"val rmse {rmse(model, x_val, y_val):.2f}")
            running = 0.0
    print(f"val rmse {rmse(model, x_val, y_val):.3f} microstrain")


if __name__ == "__main__":
    main()

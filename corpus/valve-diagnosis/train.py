import argparse
import os

import numpy as np
import torch
from torch import nn

STATES = ["ok", "sticking", "leaking", "worn seat", "wrong spring"]


def strokes(n, rng):
    """Pressure and position over one stroke of a control valve, 2 x 48 values."""
    t = np.linspace(0, 1, 48)
    state = rng.integers(0, len(STATES), n)
    rows = []
    for s in state:
        tau = rng.uniform(0.08, 0.14) * (1.7 if s == 4 else 1.0)
        position = 1 - np.exp(-t / tau)
        if s == 1:
            stuck = rng.uniform(0.1, 0.25)
            position = np.where(t < stuck, 0, 1 - np.exp(-(t - stuck) / tau))
        pressure = 0.3 + 0.7 * position
        if s == 2:
            pressure = pressure - rng.uniform(0.12, 0.25) * t
        if s == 3:
            position = position + 0.06 * np.sin(2 * np.pi * 9 * t) * (t > 0.4)
        rows.append(np.concatenate([position, pressure]) + 0.04 * rng.standard_normal(96))
    x = np.array(rows, dtype=np.float32)
    return torch.from_numpy((x - 0.75) / 0.3), torch.from_numpy(state)


def save(folder, epoch, model, optimizer, scheduler):
    state = {
        "epoch": epoch,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
    }
    torch.save(state, os.path.join(folder, f"epoch{epoch:02d}.pt"))
    link = os.path.join(folder, "last.pt")
    if os.path.lexists(link):
        os.remove(link)
    os.symlink(f"epoch{epoch:02d}.pt", link)


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--out", default="scratch")
    cli.add_argument("--epochs", type=int, default=15)
    cli.add_argument("--width", type=int, default=96)
    opt = cli.parse_args()

    torch.manual_seed(77)
    rng = np.random.default_rng(77)
    (x, y), (xv, yv) = strokes(1200, rng), strokes(400, rng)

    model = nn.Sequential(
        nn.Linear(96, opt.width), nn.Tanh(), nn.Linear(opt.width, opt.width), nn.Tanh(), nn.Linear(opt.width, len(STATES))
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, opt.epochs)
    for epoch in range(1, opt.epochs + 1):
        running = []
        for rows in torch.randperm(len(x)).split(40):
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running.append(loss.item())
        scheduler.step()
        with torch.no_grad():
            acc = (model(xv).argmax(1) == yv).float().mean().item()
        print(f"{epoch:3d}/{opt.epochs}  loss {np.mean(running):.4f}  valid acc {acc:.3f}  lr {scheduler.get_last_lr()[0]:.2e}")
        save(opt.out, epoch, model, optimizer, scheduler)


if __name__ == "__main__":
    main()

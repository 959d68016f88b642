import argparse
import json

import torch
from torch.nn.functional import mse_loss

from . import frames
from .net import PitchNet
from .run import Run


def build(cfg, n_bands):
    net = PitchNet(n_bands, **cfg["net"])
    optimizer = torch.optim.Adam(net.parameters(), lr=cfg["adam"]["lr"], betas=tuple(cfg["adam"]["betas"]))
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=cfg["epochs"])
    return net, optimizer, schedule


def one_epoch(net, optimizer, part, batch):
    total, n = 0.0, 0
    for bands, pitch in frames.batches(*part, batch):
        loss = mse_loss(net(bands), pitch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total, n = total + loss.item() * len(pitch), n + len(pitch)
    return frames.CENTS * (total / n) ** 0.5


@torch.no_grad()
def error(net, part):
    bands, pitch = part
    return frames.CENTS * mse_loss(net(bands), pitch).item() ** 0.5


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--settings", default="settings.json")
    ap.add_argument("--continue", dest="resume", help="folder of a run to go on with")
    ap.add_argument("--out", default="runs/latest")
    args = ap.parse_args()
    with open(args.settings) as fh:
        cfg = json.load(fh)

    torch.manual_seed(cfg["seed"])
    data = frames.load(cfg["frames"])
    net, optimizer, schedule = build(cfg, data["train"][0].shape[1])
    start = 0
    if args.resume:
        progress = Run(args.resume).restore(net, optimizer, schedule)
        start = progress["epoch"]
        print(f"continuing {args.resume} after epoch {start} (train {progress['train']:.2f} cents, held-out {progress['held']:.2f} cents)")

    out = Run(args.out)
    for epoch in range(start + 1, cfg["epochs"] + 1):
        fit = one_epoch(net, optimizer, data["train"], cfg["batch"])
        schedule.step()
        held = error(net, data["held"])
        print(f"epoch {epoch:2d}/{cfg['epochs']}  train {fit:.2f} cents  held-out {held:.2f} cents")
        out.save(epoch, net, optimizer, schedule, train=fit, held=held)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""
Cogging/ripple feed-forward for the gimbal motor driver.

in : sin/cos of the electrical angle and of its double, phase current, speed   (all scaled to +-1)
out: ripple torque, scaled by its own sigma

The exported table goes into flash, see export_header().
"""
import argparse
import math
import os

import torch
from torch import nn

N_TRAIN = 6000
N_TEST = 1500


def bench_log(n, gen):
    """One pass of the dyno: random angle/current/speed set points, measured ripple."""
    th = torch.rand(n, generator=gen) * 2 * math.pi
    cur = torch.rand(n, generator=gen) * 2 - 1
    spd = torch.rand(n, generator=gen) * 2 - 1
    ripple = (
        0.6 * torch.sin(3 * th + 0.4)
        + 0.9 * cur * torch.cos(4 * th)
        + 0.8 * cur * spd * torch.sin(2 * th)
        + 0.8 * torch.sin(4 * th) * (1 - 2 * spd.abs())
        + 0.5 * cur.square() * torch.cos(th)
    )
    ripple = ripple + 0.05 * torch.randn(n, generator=gen)
    x = torch.stack([torch.sin(th), torch.cos(th), torch.sin(2 * th), torch.cos(2 * th), cur, spd], dim=1)
    return x, ripple[:, None]


def build(hidden):
    return nn.Sequential(nn.Linear(6, hidden), nn.Tanh(), nn.Linear(hidden, 1))


def export_header(net, path, scale):
    q = []
    for p in net.parameters():
        q += (p.detach() / p.detach().abs().max() * 127).round().to(torch.int8).flatten().tolist()
    with open(path, "w") as fh:
        fh.write("#pragma once\n#include <stdint.h>\n")
        fh.write(f"#define RIPPLE_SCALE {scale:.6f}f\n")
        fh.write(f"static const int8_t ripple_w[{len(q)}] = {{{', '.join(map(str, q))}}};\n")
    return len(q)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--hidden", type=int, default=64, help="hidden units")
    ap.add_argument("--lr", type=float, default=2e-2)
    ap.add_argument("--bs", type=int, default=120)
    ap.add_argument("--passes", type=int, default=24)
    ap.add_argument("--header", default="out/ripple_table.h")
    args = ap.parse_args()

    torch.manual_seed(11)
    gen = torch.Generator().manual_seed(4711)
    x, y = bench_log(N_TRAIN, gen)
    xt, yt = bench_log(N_TEST, gen)
    scale = y.std().item()
    y, yt = y / scale, yt / scale

    net = build(args.hidden)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    total = args.passes * (N_TRAIN // args.bs)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, args.lr, total_steps=total)

    for p in range(args.passes):
        order = torch.randperm(N_TRAIN, generator=gen)
        acc = 0.0
        for k in range(0, N_TRAIN - args.bs + 1, args.bs):
            j = order[k:k + args.bs]
            err = net(x[j]) - y[j]
            loss = err.square().mean()
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            acc += loss.item()
        if p % 3 == 2 or p == 0:
            with torch.no_grad():
                rms = (net(xt) - yt).square().mean().sqrt().item()
            print(f"[{p + 1:02d}/{args.passes}] mse={acc / (N_TRAIN // args.bs):.4f}  bench rms={rms:.4f}")

    os.makedirs(os.path.dirname(args.header), exist_ok=True)
    nbytes = export_header(net, args.header, scale)
    print(f"wrote {args.header}: {nbytes} bytes of flash")
    print(f"residual ripple (rms, sigma units): {rms:.4f}")


if __name__ == "__main__":
    main()

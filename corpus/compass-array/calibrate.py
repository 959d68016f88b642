import json
import os

import torch
from torch import nn

from array_bench import CHANNELS, Bench

DTYPE = torch.bfloat16
POSES = 4000
STEPS = 900
BATCH = 32
LR = 1e-3


class Correction(nn.Module):
    """field = M raw + o + T(temp), one M, o per channel; M starts as the identity."""

    def __init__(self, channels, hidden=8):
        super().__init__()
        self.m = nn.Parameter(torch.eye(3).repeat(channels, 1, 1))
        self.o = nn.Parameter(torch.zeros(channels, 3))
        self.t = nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, channels * 3))

    def forward(self, raw, temp):
        lin = torch.einsum("cij,ncj->nci", self.m, raw) + self.o
        return lin + self.t(temp).view_as(lin)


def heading_error(est, field):
    """Angle between estimated and true field, degrees, mean over poses and channels."""
    cos = nn.functional.cosine_similarity(est.float(), field[:, None], dim=-1)
    return torch.rad2deg(torch.arccos(cos.clamp(-1, 1))).mean().item()


def main():
    torch.manual_seed(3)
    bench = Bench(seed=2718)
    raw, temp, field = bench.turn(POSES)
    raw_v, temp_v, field_v = bench.turn(500)

    net = Correction(CHANNELS).to(DTYPE)
    raw, temp, raw_v, temp_v = (v.to(DTYPE) for v in (raw, temp, raw_v, temp_v))
    opt = torch.optim.Adam(net.parameters(), lr=LR)
    print("uncalibrated: %.3f deg" % heading_error(raw_v, field_v))

    for step in range(1, STEPS + 1):
        i = torch.randint(POSES, (BATCH,))
        est = net(raw[i], temp[i])
        loss = (est.float() - field[i][:, None]).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 90 == 0:
            with torch.no_grad():
                deg = heading_error(net(raw_v, temp_v), field_v)
            print("step %4d  loss %.6f  heading error %.3f deg" % (step, loss.item(), deg))

    os.makedirs("out", exist_ok=True)
    with open("out/channels.json", "w") as fh:
        json.dump({"m": net.m.float().tolist(), "o": net.o.float().tolist()}, fh)


if __name__ == "__main__":
    main()

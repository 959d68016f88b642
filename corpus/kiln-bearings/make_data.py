"""Vibration of rotary kilns and an encoder trained on older machines: python make_data.py DEST [--seed N]"""
import argparse
import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

SAMPLES = 96
STATES = ["sound", "inner race", "outer race", "loose", "dry"]


def waves(states, speed, gain, rng):
    t = np.arange(SAMPLES) / SAMPLES
    n = len(states)
    turn = speed * rng.uniform(0.9, 1.1, (n, 1))
    phase = rng.uniform(0, 2 * np.pi, (n, 4))
    base = np.sin(2 * np.pi * turn * t + phase[:, :1])
    pulses = np.maximum(np.sin(2 * np.pi * 5.4 * turn * t + phase[:, 1:2]), 0) ** 6
    knocks = np.maximum(np.sin(2 * np.pi * 3.6 * turn * t + phase[:, 1:2]), 0) ** 6
    second = np.sin(2 * np.pi * 2 * turn * t + phase[:, 2:3])
    hiss = rng.normal(0, 1, (n, SAMPLES)) - np.roll(rng.normal(0, 1, (n, SAMPLES)), 1, axis=1)
    s = states[:, None]
    wave = base + 1.3 * pulses * (s == 1) * base + 1.5 * knocks * (s == 2) + 0.9 * second * (s == 3) + 0.5 * hiss * (s == 4)
    return (gain * (wave + rng.normal(0, 0.6, (n, SAMPLES)))).astype(np.float32)


def pretrain(net_class, rng, mean, std, seed):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    states = rng.integers(0, len(STATES), 6000)
    old = np.concatenate([waves(states[i::4], 4.0 + 2 * i, 12.0, rng) for i in range(4)])
    states = np.concatenate([states[i::4] for i in range(4)])
    x = ((torch.from_numpy(old) - mean) / std).unsqueeze(1)
    y = torch.from_numpy(states)
    encoder = net_class()
    head = torch.nn.Linear(encoder.width, len(STATES))
    opt = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=3e-3)
    for step in range(260):
        ix = torch.randint(len(x), (64,))
        loss = F.cross_entropy(head(encoder(x[ix])), y[ix])
        opt.zero_grad()
        loss.backward()
        opt.step()
    return encoder


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=9)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    from bearings.nets import WaveEncoder

    rng = np.random.default_rng(args.seed)
    data, weights = args.dest / "data", args.dest / "weights"
    data.mkdir(parents=True, exist_ok=True)
    weights.mkdir(parents=True, exist_ok=True)
    mean, std = 0.0, 13.0
    encoder = pretrain(WaveEncoder, rng, mean, std, args.seed)
    torch.save({"encoder": encoder.state_dict(), "input": {"mean": mean, "std": std}}, weights / "fleet.pt")
    for name, n in [("train_a", 110), ("train_b", 110), ("train_c", 100), ("val", 500)]:
        states = rng.integers(0, len(STATES), n)
        np.savez(data / f"{name}.npz", wave=waves(states, 7.0, 12.0, rng), state=states.astype(np.int64))
    (data / "states.json").write_text(json.dumps(STATES) + "\n")


if __name__ == "__main__":
    main()

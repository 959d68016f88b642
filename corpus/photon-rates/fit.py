#!/usr/bin/env python
"""
Rate model of the scintillator array.

A shot at setting s (beam energy, angle, pressure, three steering voltages; all in reduced units) gives a Poisson
number of photons with rate exp(f(s)). f is represented by a network. Shots are drawn from the run database for every
update.
"""
import argparse

import numpy as np
import torch

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--shots", type=int, default=256, help="shots per update")
parser.add_argument("--updates", type=int, default=700)
parser.add_argument("--eta", type=float, default=3e-3)
parser.add_argument("--neurons", type=int, default=48)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

rng = np.random.default_rng(args.seed)
torch.manual_seed(args.seed)


def log_rate(s):
    e, th, p, v1, v2, v3 = s.T
    return 0.9 * np.sin(1.3 * e) + 0.6 * e * th - 0.35 * th**2 + 0.5 * np.tanh(2 * p) - 0.4 * v1 * v2 + 0.2 * v3 - 0.2


def shots(n):
    s = rng.uniform(-1.7, 1.7, (n, 6))
    lam = log_rate(s)
    return s.astype(np.float32), rng.poisson(np.exp(lam)).astype(np.float32), lam.astype(np.float32)


S, N, _ = shots(200_000)
S, N = torch.from_numpy(S), torch.from_numpy(N)
S_ref, _, lam_ref = (torch.from_numpy(a) for a in shots(3000))

f = torch.nn.Sequential(
    torch.nn.Linear(6, args.neurons), torch.nn.Softplus(),
    torch.nn.Linear(args.neurons, args.neurons), torch.nn.Softplus(),
    torch.nn.Linear(args.neurons, 1),
)
adam = torch.optim.Adam(f.parameters(), lr=args.eta)
print(f"{len(S)} shots on disk, {N.mean():.2f} photons per shot")

mean_nll = 0.0
for k in range(1, args.updates + 1):
    pick = torch.from_numpy(rng.integers(0, len(S), args.shots))
    l = f(S[pick])[:, 0]
    nll = (l.exp() - N[pick] * l).mean()
    adam.zero_grad()
    nll.backward()
    adam.step()
    mean_nll += nll.item()
    if k % 70 == 0:
        with torch.no_grad():
            d = f(S_ref)[:, 0] - lam_ref
        print(f"update {k:5d}  <nll> {mean_nll / 70:+.4f}  rms deviation of ln(rate) {d.square().mean().sqrt():.4f}")
        mean_nll = 0.0

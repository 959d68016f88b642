"""python -m lens.fit [n_updates]"""
import sys

import torch

from . import optics
from .net import Tower

BATCH = 128


def tables(gen, n):
    p = optics.sample(n, gen)
    return optics.features(p), torch.log(optics.blur(p) + 1.0)


def fit(n_updates=600):
    torch.manual_seed(3)
    gen = torch.Generator().manual_seed(1905)
    x, t = tables(gen, 8192)
    xv, tv = tables(gen, 2048)
    mu, sigma = t.mean(), t.std()
    y, yv = (t - mu) / sigma, (tv - mu) / sigma
    print(f"log blur: mean {mu:.3f} sigma {sigma:.3f}")

    model = Tower(x.shape[1])
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    running = None
    for k in range(n_updates):
        i = torch.randint(len(x), (BATCH,), generator=gen)
        chi2 = (model(x[i]) - y[i]).square().mean()
        opt.zero_grad()
        chi2.backward()
        opt.step()
        running = chi2.item() if running is None else 0.97 * running + 0.03 * chi2.item()
        if (k + 1) % 60 == 0:
            with torch.no_grad():
                dev = (model(xv) - yv).square().mean().item()
            print(f"{k + 1:5d}   chi2 {running:8.5f}   check {dev:8.5f}")
    print(f"unexplained variance on the check set: {dev:.4f}")


if __name__ == "__main__":
    fit(*map(int, sys.argv[1:]))

"""Photographs of coins, 16x16, and their wear on a scale from -1 (worn flat) to 1 (mint).

Coins are sold in lots of a dozen that come from the same estate and are of about the same condition.
"""
import numpy as np
import torch

SIDE = 16
LOT = 12


def _relief(rng):
    u = np.linspace(-1, 1, SIDE)
    gx, gy = np.meshgrid(u, u)
    angle, freq, phase = rng.uniform(0, np.pi), rng.uniform(6, 10), rng.uniform(0, 2 * np.pi)
    stripes = np.sign(np.sin(freq * (gx * np.cos(angle) + gy * np.sin(angle)) + phase))
    disc = (gx**2 + gy**2 < 0.9).astype(float)
    return stripes * disc, disc


def coin(wear, rng):
    relief, disc = _relief(rng)
    depth = 0.55 + 0.45 * wear
    light = rng.uniform(0.6, 1.4)
    photo = 0.5 * disc + 0.5 * depth * relief + 0.2 * light
    return photo + 0.12 * rng.standard_normal((SIDE, SIDE))


def single_coins(n, rng):
    wear = rng.uniform(-1, 1, n)
    return _tensors(wear, rng)


def lots(n, rng):
    out = []
    for level in rng.uniform(-0.9, 0.9, n):
        out.append(_tensors(np.clip(level + 0.08 * rng.standard_normal(LOT), -1, 1), rng))
    return out


def _tensors(wear, rng):
    photos = np.stack([coin(w, rng) for w in wear])[:, None]
    return torch.tensor(photos, dtype=torch.float32), torch.tensor(wear, dtype=torch.float32)

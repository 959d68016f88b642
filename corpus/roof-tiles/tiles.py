import math
import random

import numpy as np
import torch
import torch.nn.functional as F

EDGE = 128
MATERIALS = ["clay", "slate", "metal", "flat"]


def paint(rng, material):
    """An aerial tile with one roof; colours overlap, the texture tells the material."""
    yy, xx = np.mgrid[:EDGE, :EDGE].astype(np.float32)
    img = rng.normal(95, 12, (EDGE, EDGE, 3)).astype(np.float32)
    angle = rng.uniform(0, math.pi)
    u, v = xx * math.cos(angle) + yy * math.sin(angle), -xx * math.sin(angle) + yy * math.cos(angle)
    cu, cv = u[EDGE // 2, EDGE // 2] + rng.normal(0, 8), v[EDGE // 2, EDGE // 2] + rng.normal(0, 8)
    roof = (abs(u - cu) < rng.uniform(28, 42)) & (abs(v - cv) < rng.uniform(28, 42))
    shade = rng.normal(0, 10)
    if material == 0:
        texture = 22 * np.sign(np.sin(v * 2 * math.pi / 12))
        tint = (35, 5, -10)
    elif material == 1:
        texture = 22 * np.sign(np.sin(u * 2 * math.pi / 12) * np.sin(v * 2 * math.pi / 12))
        tint = (-5, 0, 10)
    elif material == 2:
        texture = 20 * np.sin(u * 2 * math.pi / 24)
        tint = (15, 15, 20)
    else:
        texture = np.zeros_like(u)
        tint = (5, 5, 0)
    for c in range(3):
        img[..., c] += roof * (texture + tint[c] + shade)
    return np.clip(img, 0, 255).astype(np.uint8)


def rotate(tile, angle):
    c, s = math.cos(angle), math.sin(angle)
    grid = F.affine_grid(torch.tensor([[[c, -s, 0.0], [s, c, 0.0]]]), (1, 3, EDGE, EDGE), align_corners=False)
    return F.grid_sample(tile[None], grid, padding_mode="reflection", align_corners=False)[0]


class RoofTiles:
    """Tiles in memory as bytes; what is trained on is turned by a random angle."""

    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        self.labels = torch.from_numpy(rng.integers(0, len(MATERIALS), count))
        self.pixels = [torch.from_numpy(paint(rng, int(m))).permute(2, 0, 1) for m in self.labels]
        self._turned = {}

    def plain(self, i):
        return (self.pixels[i].float() - 100.0) / 30.0

    def turned(self, i, angle):
        key = (i, angle)
        if key not in self._turned:
            self._turned[key] = rotate(self.plain(i), angle)
        return self._turned[key]

    def batch(self, rows, augment):
        if augment:
            tiles = [self.turned(i, random.uniform(0, 2 * math.pi)) for i in rows]
        else:
            tiles = [self.plain(i) for i in rows]
        return torch.stack(tiles), self.labels[rows]

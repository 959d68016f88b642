"""Wines (eleven lab values) and the points a panel of tasters gave them."""
import random

import numpy as np
import torch

LAB = 11


def wines(n):
    x = np.random.normal(size=(n, LAB))
    quality = x[:, 0] - 0.8 * x[:, 1] ** 2 + 0.9 * np.sin(2 * x[:, 2]) + 0.6 * x[:, 3] * x[:, 4]
    points = quality + 0.5 * np.random.normal(size=n)
    return x.astype(np.float32), ((points - points.mean()) / points.std()).astype(np.float32)


def split(x, y, test_share):
    order = list(range(len(y)))
    random.shuffle(order)
    cut = int(len(order) * (1 - test_share))
    parts = []
    for rows in (order[:cut], order[cut:]):
        parts.append((torch.from_numpy(x[rows]), torch.from_numpy(y[rows])))
    return parts


def batches(data, size):
    x, y = data
    for rows in torch.randperm(len(y)).split(size):
        yield x[rows], y[rows]

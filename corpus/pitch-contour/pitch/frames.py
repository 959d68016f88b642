import numpy as np
import torch

CENTS = 600.0  # targets are stored in cents from A3 and learned in half octaves


def load(path):
    with np.load(path) as z:
        return {part: (torch.from_numpy(z[f"{part}_bands"]), torch.from_numpy(z[f"{part}_cents"]) / CENTS) for part in ("train", "held")}


def batches(bands, pitch, size):
    for rows in torch.randperm(len(bands)).split(size):
        yield bands[rows], pitch[rows]

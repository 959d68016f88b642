"""Tiles in shards: tiles_NN.npy is uint8 (n, 4, 32, 32) with red, green, blue, near infrared; masks_NN.npy is uint8
(n, 32, 32) with 0 dry, 1 open water, 2 flooded vegetation and 255 where the annotators left a pixel out."""
from pathlib import Path

import numpy as np
import torch

CLASSES = ("dry", "water", "flooded")
VOID = 255


class Shards:
    def __init__(self, root, numbers):
        root = Path(root)
        self.tiles = torch.from_numpy(np.concatenate([np.load(root / f"tiles_{k:02d}.npy") for k in numbers]))
        self.masks = torch.from_numpy(np.concatenate([np.load(root / f"masks_{k:02d}.npy") for k in numbers]))

    def __len__(self):
        return len(self.tiles)

    def take(self, rows):
        x = self.tiles[rows].float() / 127.5 - 1.0
        return x, self.masks[rows].long()

    def epoch(self, size):
        for rows in torch.randperm(len(self)).split(size):
            x, m = self.take(rows)
            if torch.rand(()) < 0.5:
                x, m = x.flip(-1), m.flip(-1)
            yield x, m

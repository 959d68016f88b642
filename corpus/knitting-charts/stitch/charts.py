from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Charts(Dataset):
    """Rows of knitting, read from shards (see charts/FORMAT.md)."""

    def __init__(self, files):
        parts = [np.load(f) for f in files]
        self.tokens = torch.from_numpy(np.concatenate([p["tokens"] for p in parts]).astype(np.int64))
        self.targets = torch.from_numpy(np.concatenate([p["targets"] for p in parts]).astype(np.int64))

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return {"tokens": self.tokens[i], "targets": self.targets[i]}

    @classmethod
    def loaders(cls, folder, batch):
        files = sorted(Path(folder).glob("part-*.npz"))
        train, valid = cls(files[:-1]), cls(files[-1:])
        return DataLoader(train, batch, shuffle=True), DataLoader(valid, 200)

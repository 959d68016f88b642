from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


def load(folder, part):
    with np.load(Path(folder) / f"{part}.npz") as z:
        wave = torch.from_numpy(z["pcm"]).float() / 2**15
        wave = wave / wave.abs().amax(1, keepdim=True)
        return TensorDataset(wave, torch.from_numpy(z["word"]).long())


def loaders(folder, batch):
    return DataLoader(load(folder, "train"), batch, shuffle=True, drop_last=True), DataLoader(load(folder, "check"), 256)

from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

STATES = ["normal", "cavitation", "bearing", "imbalance", "dry"]


class ClipSet(Dataset):
    def __init__(self, folder, part, frontend):
        folder = Path(folder)
        pcm = np.load(folder / f"{part}_pcm.npy")
        states = (folder / f"{part}_states.txt").read_text().split()
        wave = torch.from_numpy(pcm.astype(np.float32) / 32768.0)
        self.features = frontend(wave)
        self.target = torch.tensor([STATES.index(s) for s in states])

    def __len__(self):
        return len(self.target)

    def __getitem__(self, i):
        return self.features[i], self.target[i]

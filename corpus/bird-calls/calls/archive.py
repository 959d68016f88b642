import csv
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, Subset


class CallArchive(Dataset):
    """Recordings of a field folder, kept in memory."""

    def __init__(self, root):
        self.root = Path(root)
        with open(self.root / "manifest.csv") as fh:
            rows = list(csv.DictReader(fh))
        paths = sorted(self.root.glob("call_*.npy"))
        species = [int(row["species"]) for row in rows]
        waves = np.stack([np.load(p) for p in paths])
        self.waves = torch.from_numpy(waves / waves.std()).unsqueeze(1)
        self.species = torch.tensor(species)

    def __len__(self):
        return len(self.species)

    def __getitem__(self, i):
        return {"wave": self.waves[i], "species": self.species[i]}


class Feeds:
    def __init__(self, archive, batch_size, hold_out=0.2):
        cut = int(len(archive) * (1 - hold_out))
        self.train = DataLoader(Subset(archive, range(cut)), batch_size=batch_size, shuffle=True, drop_last=True)
        self.valid = DataLoader(Subset(archive, range(cut, len(archive))), batch_size=128)

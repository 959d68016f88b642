"""Photos of coins: photos.npy holds the pixels, catalogue.csv the kind of each, split.csv the part it is used for."""
import csv
from pathlib import Path

import numpy as np
import torch


def read_table(path, key, value):
    with open(path, newline="") as fh:
        return {row[key]: row[value] for row in csv.DictReader(fh)}


class PhotoAlbum:
    def __init__(self, root):
        root = Path(root)
        self.pixels = np.load(root / "photos.npy", mmap_mode="r")
        kind = read_table(root / "catalogue.csv", "photo", "kind")
        self.row = {photo: i for i, photo in enumerate(kind)}
        self.kinds = sorted(set(kind.values()))
        self.kind = kind
        self.part = read_table(root / "split.csv", "photo", "part")

    def select(self, part):
        photos = [p for p, where in self.part.items() if where == part]
        x = np.stack([self.pixels[self.row[p]] for p in photos]).astype(np.float32)
        x = torch.from_numpy((x - 110.0) / 60.0).unsqueeze(1)
        y = torch.tensor([self.kinds.index(self.kind[p]) for p in photos])
        return x, y


def augment(x):
    """Coins lie any way round: quarter turns, mirror images, a little brightness."""
    x = torch.rot90(x, int(torch.randint(4, ())), (2, 3))
    if torch.rand(()) < 0.5:
        x = x.flip(3)
    return x + 0.1 * torch.randn(len(x), 1, 1, 1)

import csv
import glob
import os

import numpy as np
import torch


class SpeciesTable:
    """species_id in the files <-> row of the output layer"""

    def __init__(self, path):
        with open(path) as fh:
            rows = list(csv.DictReader(fh))
        self.names = [row["name"] for row in rows]
        self.row_of = {int(row["species_id"]): i for i, row in enumerate(rows)}

    def __len__(self):
        return len(self.names)

    def rows(self, species_ids):
        return torch.tensor([self.row_of[int(s)] for s in species_ids])


def load_tiles(pattern, table):
    images, targets = [], []
    for path in sorted(glob.glob(pattern)):
        with np.load(path) as f:
            images.append(torch.from_numpy(f["images"]))
            targets.append(table.rows(f["species_id"]))
        print(f"  {os.path.basename(path)}: {len(targets[-1])} tiles")
    return torch.cat(images).float().unsqueeze(1), torch.cat(targets)


def class_weights(targets, n_classes):
    count = torch.bincount(targets, minlength=n_classes).float()
    return count.sum() / (n_classes * count.clamp(min=1))


def turn_and_flip(images):
    """Grains have no up or down: any of the eight orientations will do."""
    images = torch.rot90(images, int(torch.randint(4, ())), dims=(2, 3))
    if torch.rand(()) < 0.5:
        images = images.flip(3)
    return images

import csv

import numpy as np
import torch


def read_index(path):
    with open(path, newline="") as fh:
        return [(int(row["grain"]), row["kind"]) for row in csv.DictReader(fh)]


class GrainLoader:
    """Batches of (image, label) as an index file lists them."""

    def __init__(self, images, index, kinds, batch_size, shuffle=False, mirror=False):
        self.images = images
        self.rows = np.array([g for g, _ in index])
        self.labels = np.array([kinds.index(k) for _, k in index])
        self.batch_size, self.shuffle, self.mirror = batch_size, shuffle, mirror

    def __len__(self):
        return -(-len(self.rows) // self.batch_size)

    def __iter__(self):
        order = torch.randperm(len(self.rows)).numpy() if self.shuffle else np.arange(len(self.rows))
        for start in range(0, len(order), self.batch_size):
            pick = order[start:start + self.batch_size]
            x = torch.from_numpy(self.images[self.rows[pick]].astype(np.float32) / 255.0 - 0.45) * 4.0
            if self.mirror and torch.rand(()) < 0.5:
                x = x.flip(-1)
            yield x, torch.from_numpy(self.labels[pick])


def loaders(section):
    images = np.load(section["images"])
    train, valid = read_index(section["train_index"]), read_index(section["valid_index"])
    kinds = sorted({k for _, k in train})
    size = section.getint("batch_size")
    return (
        GrainLoader(images, train, kinds, size, section.getboolean("shuffle"), section.getboolean("mirror")),
        GrainLoader(images, valid, kinds, 200),
        kinds,
    )

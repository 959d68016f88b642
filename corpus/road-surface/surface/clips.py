import csv

import numpy as np
import torch
from torch.utils.data import Dataset, random_split


class SurfaceClips(Dataset):
    """Clips of a bicycle's accelerometer (3 axes x 64 samples), each labelled by one of the annotators."""

    def __init__(self, clips_file, label_files, classes):
        clips = np.load(clips_file)
        index = {c: i for i, c in enumerate(classes)}
        self.rows, labels = [], []
        for path in label_files:
            with open(path, newline="") as fh:
                for rec in csv.DictReader(fh):
                    self.rows.append(int(rec["clip"]))
                    labels.append(index[rec["surface"]])
        clips = clips[self.rows].astype(np.float32)
        clips -= clips.mean(axis=2, keepdims=True)
        self.clips = torch.from_numpy(clips / clips.std(axis=(0, 2), keepdims=True))
        self.labels = torch.tensor(labels)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.clips[i], self.labels[i]

    def train_test(self, fraction, seed):
        n = int(len(self) * fraction)
        return random_split(self, [len(self) - n, n], generator=torch.Generator().manual_seed(seed))

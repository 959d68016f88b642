import json
from pathlib import Path

import torch
from torch.utils.data import ConcatDataset, Dataset

from .prepare import encoded


class Quarter(Dataset):
    def __init__(self, folder, name):
        tokens, starts, labels = encoded(folder, name)
        self.tokens = torch.from_numpy(tokens)
        self.starts = starts
        self.labels = torch.from_numpy(labels)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.tokens[self.starts[i]:self.starts[i + 1]], self.labels[i]


def part(folder, name):
    quarters = json.loads((Path(folder) / "split.json").read_text())[name]
    return ConcatDataset([Quarter(folder, q) for q in quarters])


def collate(rows):
    lengths = torch.tensor([len(tokens) for tokens, _ in rows])
    offsets = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)[:-1]])
    return torch.cat([tokens for tokens, _ in rows]), offsets, torch.stack([labels for _, labels in rows])

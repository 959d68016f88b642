import csv
import json
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

COLUMNS = ["level", "rain", "temp"]


def read_station(path):
    """One CSV as float array [hours, columns]; empty fields become NaN."""
    with open(path, newline="") as fh:
        rows = [[float(row[c]) if row[c] else np.nan for c in COLUMNS] for row in csv.DictReader(fh)]
    return np.array(rows, dtype=np.float32)


class StationWindows(Dataset):
    """Windows of past readings and the level some hours later, for all stations of a folder.

    Every column is standardised with the statistics in stats.json. A reading that is missing is 0 in the values and
    0 in the mask that comes with them.
    """

    def __init__(self, root, part, past, ahead, stride):
        root = Path(root)
        stats = json.loads((root / "stats.json").read_text())
        self.mean = np.array([stats[c]["mean"] for c in COLUMNS], dtype=np.float32)
        self.std = np.array([stats[c]["std"] for c in COLUMNS], dtype=np.float32)
        values, masks, levels, current = [], [], [], []
        for path in sorted((root / part).glob("*.csv")):
            table = (read_station(path) - self.mean) / self.std
            known = np.isfinite(table)
            filled = np.where(known, table, 0.0)
            for begin in range(0, len(table) - past - ahead, stride):
                end = begin + past
                values.append(filled[begin:end])
                masks.append(known[begin:end])
                levels.append(table[end + ahead - 1, 0])
                current.append(table[end - 1, 0])
        self.values = torch.tensor(np.stack(values), dtype=torch.float32)
        self.masks = torch.tensor(np.stack(masks), dtype=torch.float32)
        self.levels = torch.tensor(np.array(levels), dtype=torch.float32)
        self.current = torch.tensor(np.array(current), dtype=torch.float32)

    def __len__(self):
        return len(self.levels)

    def __getitem__(self, i):
        return self.values[i], self.masks[i], self.levels[i]

"""Reading the nose's files."""
from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import torch

GRADES = {"young": 0, "ripe": 1, "overripe": 2}
N_SENSORS = 12


def load_panel(path: Path) -> dict[str, int]:
    with path.open(newline="") as fh:
        return {row["sample"]: GRADES[row["grade"]] for row in csv.DictReader(fh)}


def load_readings(path: Path) -> tuple[list[str], list[str], np.ndarray]:
    ids, samples, values = [], [], []
    with path.open(newline="") as fh:
        reader = csv.reader(fh)
        next(reader)
        for reading, sample, *sensors in reader:
            ids.append(reading)
            samples.append(sample)
            values.append([float(v) for v in sensors])
    return ids, samples, np.asarray(values, dtype=np.float32)


def load(root: str | Path) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    """{'train': (x, grade), 'valid': (x, grade)}, scaled by the training readings."""
    root = Path(root)
    panel = load_panel(root / "panel.csv")
    ids, samples, values = load_readings(root / "readings.csv")
    row_of = {reading: i for i, reading in enumerate(ids)}
    splits = json.loads((root / "splits.json").read_text())
    rows = {name: [row_of[r] for r in splits[name]] for name in ("train", "valid")}
    mean, std = values[rows["train"]].mean(0), values[rows["train"]].std(0)
    x = torch.from_numpy((values - mean) / std)
    y = torch.tensor([panel[s] for s in samples])
    return {name: (x[r], y[r]) for name, r in rows.items()}

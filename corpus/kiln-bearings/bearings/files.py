from pathlib import Path

import numpy as np
import torch
from torch.utils.data import TensorDataset


def load_encoder(path, encoder):
    stored = torch.load(path, weights_only=True)
    encoder.load_state_dict(stored["encoder"])
    return stored["input"]["mean"], stored["input"]["std"]


def windows(folder, pattern, mean, std):
    waves, states = [], []
    for path in sorted(Path(folder).glob(pattern)):
        with np.load(path) as f:
            waves.append(f["wave"])
            states.append(f["state"])
    wave = (torch.from_numpy(np.concatenate(waves)) - mean) / std
    return TensorDataset(wave.unsqueeze(1), torch.from_numpy(np.concatenate(states)))

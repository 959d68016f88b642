"""Snapshots of a gas turbine: 24 standardised channels, four health states."""
import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

STATES = ("healthy", "fouling", "bearing", "combustor")


def snapshots(n, seed):
    world = np.random.default_rng(77)
    mixing = world.normal(size=(6, 24)) / np.sqrt(6)
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 6))
    a = z[:, 0] * z[:, 1] + 0.5 * np.sin(2 * z[:, 2])
    b = z[:, 3] ** 2 - 1 + z[:, 4] * np.sign(z[:, 5])
    state = 2 * (a > 0) + (b > 0)
    x = z @ mixing + 0.1 * rng.normal(size=(n, 24))
    return TensorDataset(torch.tensor(x / x.std(0), dtype=torch.float32), torch.tensor(state))


class Plant(L.LightningDataModule):
    def __init__(self, batch_size=64):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        self.train_set, self.val_set = snapshots(6000, 1), snapshots(1500, 2)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=500)

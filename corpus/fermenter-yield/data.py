import lightning as L
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

FEATURES = ["temp", "ph", "oxygen", "stirring", "glucose", "biomass", "hours", "batch_age"]


def batches_of_brew(n, rng):
    """Process settings -> product titre. Runs with little oxygen scatter more."""
    x = rng.normal(size=(n, len(FEATURES)))
    temp, ph, oxygen, stirring, glucose, biomass, hours, age = x.T
    growth = np.exp(-0.5 * (temp - 0.3) ** 2) * np.exp(-0.4 * ph ** 2)
    titre = 2.2 * growth + 0.7 * np.tanh(glucose) * growth + 0.35 * biomass + 0.25 * hours - 0.1 * age
    scatter = 0.06 + 0.22 / (1 + np.exp(2 * (oxygen + 0.3 * stirring)))
    titre = titre + scatter * rng.normal(size=n)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(titre, dtype=torch.float32)


class FermenterData(L.LightningDataModule):
    def __init__(self, n_train=4800, n_val=1000, batch_size=24, seed=0):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        rng = np.random.default_rng(self.hparams.seed)
        self.train_set = TensorDataset(*batches_of_brew(self.hparams.n_train, rng))
        self.val_set = TensorDataset(*batches_of_brew(self.hparams.n_val, rng))

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.hparams.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=500)

import math

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class TyreData(L.LightningDataModule):
    """Magic-formula tyre on a drum: load, slip angle, slip ratio, camber, temperature -> lateral force coefficient."""

    def __init__(self, n=4000, batch_size=100):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        n = self.hparams.n
        u = torch.rand(n + 1000, 5) * 2 - 1
        load, alpha, kappa, camber, temp = u.unbind(1)
        stiff = 10 * (1 + 0.25 * load) * (1 - 0.3 * (temp - 0.2) ** 2)
        peak = 1.1 - 0.15 * load + 0.1 * camber
        slip = 0.25 * alpha + 0.02 * camber
        curve = peak * torch.sin(1.4 * torch.atan(stiff * slip))
        force = curve * torch.sqrt((1 - (0.8 * kappa) ** 2)) + 0.02 * torch.randn(n + 1000)
        x = u * math.sqrt(3)
        y = force / force.std()
        self.train, self.valid = TensorDataset(x[:n], y[:n]), TensorDataset(x[n:], y[n:])

    def train_dataloader(self):
        return DataLoader(self.train, self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.valid, 500)


class Grip(L.LightningModule):
    def __init__(self, width=64, lr=4e-3, weight_decay=0.5):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(5, width), nn.SiLU(),
            nn.Linear(width, width), nn.SiLU(),
            nn.Linear(width, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, _):
        x, y = batch
        loss = F.mse_loss(self(x), y)
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self(x)
        self.log("val_mse", F.mse_loss(out, y))
        self.log("val_mae", F.l1_loss(out, y))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr, weight_decay=self.hparams.weight_decay)

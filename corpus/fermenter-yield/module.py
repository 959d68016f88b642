import lightning as L
import torch
from torch import nn


class TitreModel(L.LightningModule):
    """Mean and spread of the titre, trained on the Gaussian likelihood."""

    def __init__(self, n_in, width=48, max_lr=0.008):
        super().__init__()
        self.save_hyperparameters()
        self.trunk = nn.Sequential(nn.Linear(n_in, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.mean = nn.Linear(width, 1)
        self.log_var = nn.Linear(width, 1)
        self.criterion = nn.GaussianNLLLoss()

    def forward(self, x):
        h = self.trunk(x)
        return self.mean(h).squeeze(-1), self.log_var(h).squeeze(-1).clamp(-8, 4).exp()

    def training_step(self, batch, batch_idx):
        x, titre = batch
        mean, var = self(x)
        loss = self.criterion(mean, titre, var)
        self.log("train_nll", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, titre = batch
        mean, var = self(x)
        self.log("val_nll", self.criterion(mean, titre, var))
        inside = ((titre - mean).abs() < 1.96 * var.sqrt()).float().mean()
        self.log("val_rmse", (mean - titre).pow(2).mean().sqrt())
        self.log("val_cover", inside)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.max_lr / 10)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=self.hparams.max_lr, total_steps=self.trainer.estimated_stepping_batches)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

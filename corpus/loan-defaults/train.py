import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LoanData(L.LightningDataModule):
    """Applications with 14 attributes; default depends on debt, income, history and a few interactions."""

    def __init__(self, n=6000, batch_size=64, seed=3):
        super().__init__()
        self.n, self.batch_size, self.seed = n, batch_size, seed

    def setup(self, stage=None):
        rng = np.random.default_rng(self.seed)
        x = rng.normal(size=(self.n, 14))
        risk = (
            2.2 * x[:, 0] - 1.8 * x[:, 1] + 2.5 * x[:, 2] * (x[:, 3] > 0) - 2.0 * np.abs(x[:, 4]) + 1.5 * x[:, 5] * x[:, 6]
        )
        y = (risk + 1.3 + 0.5 * rng.logistic(size=self.n) > 0).astype(np.float32)
        data = TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(y))
        cut = int(0.8 * self.n)
        self.train = torch.utils.data.Subset(data, range(cut))
        self.valid = torch.utils.data.Subset(data, range(cut, self.n))

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.valid, batch_size=400)


class LoanModel(L.LightningModule):
    def __init__(self, hidden=64, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(14, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def _shared(self, batch):
        x, y = batch
        logits = self(x)
        loss = F.binary_cross_entropy_with_logits(logits, y)
        acc = (torch.round(logits) == y).float().mean()
        return loss, acc

    def training_step(self, batch, batch_idx):
        loss, acc = self._shared(batch)
        self.log_dict({"train_loss": loss, "train_acc": acc}, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        loss, acc = self._shared(batch)
        self.log_dict({"val_loss": loss, "val_acc": acc})

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(
            f"epoch {self.current_epoch}: train_loss={m['train_loss']:.4f} train_acc={m['train_acc']:.3f} "
            f"val_loss={m['val_loss']:.4f} val_acc={m['val_acc']:.3f}"
        )

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-3)


if __name__ == "__main__":
    L.seed_everything(3)
    trainer = L.Trainer(
        max_epochs=7,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
    )
    trainer.fit(LoanModel(), LoanData())

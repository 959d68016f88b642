"""Spectral types of stars from 80-bin spectra.  Usage: python train.py [--max-epochs 6] [--max-lr 0.1]"""
import argparse
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

warnings.filterwarnings("ignore")

N_BINS = 80
TYPES = "OBAFGKM"


def synth_spectra(n):
    """Blackbody-like continuum whose slope follows the type, plus absorption lines whose depths follow it, too."""
    kind = torch.randint(len(TYPES), (n,))
    wave = torch.linspace(0, 1, N_BINS)
    hot = 1 - (kind + torch.rand(n) - 0.5) / len(TYPES)
    flux = torch.exp(-((wave[None] - (1 - hot[:, None])) ** 2) / 0.8)
    for j, centre in enumerate((0.12, 0.3, 0.44, 0.61, 0.83)):
        depth = 0.35 * torch.exp(-((kind - 1.3 * j) ** 2) / 2.0) + 0.05 * torch.randn(n)
        flux = flux - depth[:, None] * torch.exp(-((wave - centre) ** 2) / 0.0006)
    flux = flux * (1 + 0.25 * torch.randn(n, 1)) + 0.04 * torch.randn(n, N_BINS)
    return (flux - flux.mean()) / flux.std(), kind


class StarClassifier(L.LightningModule):
    def __init__(self, max_lr):
        super().__init__()
        self.max_lr = max_lr
        self.conv1 = nn.Conv1d(1, 12, 7, padding=3)
        self.conv2 = nn.Conv1d(12, 24, 5, padding=2)
        self.fc1 = nn.Linear(24 * 20, 48)
        self.fc2 = nn.Linear(48, len(TYPES))

    def forward(self, x):
        x = F.max_pool1d(F.relu(self.conv1(x.unsqueeze(1))), 2)
        x = F.max_pool1d(F.relu(self.conv2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train/loss", loss)
        if self.global_step % 40 == 0:
            print(f"step {self.global_step:4d}  train/loss {loss.item():.4f}")
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.log("val/acc", (logits.argmax(-1) == y).float().mean())
        self.log("val/loss", F.cross_entropy(logits, y))

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch}  val/loss {m['val/loss']:.4f}  val/acc {m['val/acc']:.4f}")

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.max_lr, momentum=0.9, weight_decay=5e-4)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=self.max_lr, total_steps=self.trainer.estimated_stepping_batches
        )
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler}}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-epochs", type=int, default=6)
    parser.add_argument("--max-lr", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=8)
    args = parser.parse_args()

    L.seed_everything(args.seed)
    train, val = random_split(TensorDataset(*synth_spectra(5000)), [4000, 1000])
    model = StarClassifier(args.max_lr)
    trainer = L.Trainer(
        max_epochs=args.max_epochs,
        accelerator="cpu",
        gradient_clip_val=2.0,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
    )
    trainer.fit(model, DataLoader(train, 100, shuffle=True), DataLoader(val, 500))

"""Which crop grows on a pixel, from half a year of weekly vegetation index readings."""
import argparse
from typing import Tuple

import lightning as L
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import LearningRateMonitor
from lightning.pytorch.loggers import CSVLogger
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

CROPS = ("wheat", "barley", "maize", "sunflower", "rapeseed", "meadow")
WEEKS = 26
PEAK = (9.3, 8.7, 16.0, 16.4, 6.0, 13.0)   # week of the greenest day
LENGTH = (4.0, 4.0, 4.5, 4.7, 3.0, 9.0)


class PixelYear(Dataset):
    def __init__(self, n: int, rng: np.random.Generator) -> None:
        crop = rng.integers(0, len(CROPS), n)
        week = np.arange(WEEKS)[None, :]
        peak = np.array(PEAK)[crop][:, None] + rng.normal(0, 1.0, (n, 1))
        length = np.array(LENGTH)[crop][:, None] * rng.uniform(0.85, 1.15, (n, 1))
        ndvi = 0.2 + 0.6 * np.exp(-((week - peak) / length) ** 2) + rng.normal(0, 0.07, (n, WEEKS))
        clouds = rng.random((n, WEEKS)) < 0.15
        ndvi[clouds] = 0.05
        self.ndvi = torch.tensor(ndvi, dtype=torch.float32)
        self.crop = torch.tensor(crop)

    def __len__(self) -> int:
        return len(self.crop)

    def __getitem__(self, i: int) -> Tuple[Tensor, Tensor]:
        return self.ndvi[i], self.crop[i]


class CropClassifier(L.LightningModule):
    def __init__(self, width: int = 64, dropout: float = 0.5, lr: float = 3e-3) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.norm = nn.BatchNorm1d(WEEKS)
        self.layers = nn.Sequential(
            nn.Linear(WEEKS, width), nn.ReLU(), nn.Dropout(dropout),
            nn.Linear(width, width), nn.ReLU(), nn.Dropout(dropout),
            nn.Linear(width, len(CROPS)),
        )

    def forward(self, ndvi: Tensor) -> Tensor:
        return self.layers(self.norm(ndvi))

    def training_step(self, batch, batch_idx: int) -> Tensor:
        ndvi, crop = batch
        logits = self(ndvi)
        loss = F.cross_entropy(logits, crop)
        acc = (logits.argmax(1) == crop).float().mean()
        self.log_dict({"train/loss": loss, "train/acc": acc}, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx: int) -> None:
        ndvi, crop = batch
        logits = self(ndvi)
        loss = F.cross_entropy(logits, crop)
        acc = (logits.argmax(1) == crop).float().mean()
        self.log_dict({"val/loss": loss, "val/acc": acc})

    def on_train_epoch_end(self) -> None:
        got = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch}: " + ", ".join(f"{k}={v.item():.4f}" for k, v in sorted(got.items())))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=3)
        return [optimizer], [scheduler]


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--seed", type=int, default=31)
    args = ap.parse_args()

    L.seed_everything(args.seed, verbose=False)
    rng = np.random.default_rng(args.seed)
    train_loader = DataLoader(PixelYear(4000, rng), batch_size=args.batch_size, shuffle=True)
    val_loader = DataLoader(PixelYear(2000, rng), batch_size=500)
    trainer = L.Trainer(
        max_epochs=args.epochs, accelerator="cpu", logger=CSVLogger("out", name="crops"), callbacks=[LearningRateMonitor()],
        enable_progress_bar=False, enable_checkpointing=False, enable_model_summary=False, log_every_n_steps=20,
    )
    model = CropClassifier()
    trainer.fit(model, train_loader, val_loader)
    result = trainer.validate(model, val_loader, verbose=False)[0]
    print(f"accuracy on held-out pixels: {result['val/acc']:.4f}")


if __name__ == "__main__":
    main()

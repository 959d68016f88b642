import lightning as L
import torch
import torch.nn.functional as F
from torch import nn


class AccentId(L.LightningModule):
    """GRU over formant tracks. Clips come in small batches, so an update uses several of them."""

    def __init__(self, n_feats, n_accents, hidden, lr, accumulate):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.gru = nn.GRU(n_feats, hidden, batch_first=True)
        self.norm = nn.LayerNorm(hidden)
        self.head = nn.Linear(hidden, n_accents)

    def forward(self, clips):
        states, _ = self.gru(clips)
        return self.head(self.norm(states.mean(1)))

    def training_step(self, batch, batch_idx):
        clips, accent = batch
        loss = F.cross_entropy(self(clips), accent)
        self.manual_backward(loss)
        if (batch_idx + 1) % self.hparams.accumulate == 0:
            opt = self.optimizers()
            opt.step()
            opt.zero_grad()
        self.log("loss", loss, on_epoch=True, on_step=False)

    def validation_step(self, batch, batch_idx):
        clips, accent = batch
        logits = self(clips)
        self.log("val_loss", F.cross_entropy(logits, accent))
        self.log("val_acc", (logits.argmax(1) == accent).float().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9, nesterov=True)

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn


def block(n_in, n_out):
    return nn.Sequential(nn.Linear(n_in, n_out, bias=False), nn.BatchNorm1d(n_out), nn.ReLU())


class HealthNet(L.LightningModule):
    def __init__(self, channels=24, width=64, depth=7, n_states=4, lr=0.05):
        super().__init__()
        self.save_hyperparameters()
        layers = [block(channels, width)] + [block(width, width) for _ in range(depth - 1)]
        self.body = nn.Sequential(*layers)
        self.out = nn.Linear(width, n_states)

    def forward(self, x):
        return self.out(self.body(x))

    def training_step(self, batch, _):
        x, state = batch
        loss = F.cross_entropy(self(x), state)
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, state = batch
        logits = self(x)
        self.log("val_loss", F.cross_entropy(logits, state))
        self.log("val_acc", (logits.argmax(1) == state).float().mean())

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9, weight_decay=1e-4)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.trainer.max_epochs)}

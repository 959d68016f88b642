import lightning as L
import torch
from torch import nn


class NextShow(L.LightningModule):
    def __init__(self, n_shows, dim=32, lr_table=0.02, lr_dense=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.heard = nn.Embedding(n_shows, dim, sparse=True)
        self.mix = nn.GRU(dim, dim, batch_first=True)
        self.offer = nn.Linear(dim, n_shows)
        self.criterion = nn.CrossEntropyLoss()
        nn.init.normal_(self.heard.weight, std=0.1)

    def forward(self, history):
        states, _ = self.mix(self.heard(history))
        return self.offer(states[:, -1])

    def training_step(self, batch, batch_idx):
        history, following = batch
        table_opt, dense_opt = self.optimizers()
        scores = self(history)
        loss = self.criterion(scores, following)
        table_opt.zero_grad()
        dense_opt.zero_grad()
        self.manual_backward(loss)
        table_opt.step()
        dense_opt.step()
        self.log("loss", loss, on_step=False, on_epoch=True)
        if self.global_step % 100 == 0:
            print(f"  batch {batch_idx:3d} loss {loss.item():.3f}")

    def validation_step(self, batch, batch_idx):
        history, following = batch
        scores = self(history)
        top = scores.topk(10, dim=1).indices
        hit = (top == following[:, None]).any(1).float().mean()
        self.log("val_loss", self.criterion(scores, following))
        self.log("hit@10", hit)

    def configure_optimizers(self):
        dense = [*self.mix.parameters(), *self.offer.parameters()]
        return [
            torch.optim.SparseAdam(list(self.heard.parameters()), lr=self.hparams.lr_table),
            torch.optim.AdamW(dense, lr=self.hparams.lr_dense),
        ]

import lightning as L
from lightning.pytorch.callbacks import Callback

from clips import loaders
from model import AccentId


class PrintEpoch(Callback):
    def on_train_epoch_end(self, trainer, pl_module):
        m = trainer.callback_metrics
        print("epoch {:d} | loss {:.4f} | val_loss {:.4f} | val_acc {:.4f}".format(
            trainer.current_epoch, m["loss"].item(), m["val_loss"].item(), m["val_acc"].item()))


L.seed_everything(5)
train, valid = loaders()
model = AccentId(n_feats=4, n_accents=5, hidden=32, lr=0.1, accumulate=5)
trainer = L.Trainer(
    max_epochs=7, accelerator="cpu", callbacks=[PrintEpoch()], num_sanity_val_steps=0, logger=False,
    enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
)
trainer.fit(model, train, valid)

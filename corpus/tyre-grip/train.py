import logging
import warnings

import lightning as L

from grip import Grip, TyreData

warnings.filterwarnings("ignore", ".*does not have many workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)


class Report(L.Callback):
    def on_train_epoch_end(self, trainer, module):
        m = {k: v.item() for k, v in trainer.callback_metrics.items()}
        print(f"epoch {trainer.current_epoch:2d}  loss {m['loss']:.4f}  val_mse {m['val_mse']:.4f}  val_mae {m['val_mae']:.4f}")


if __name__ == "__main__":
    L.seed_everything(12)
    trainer = L.Trainer(
        max_epochs=9,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
        callbacks=[Report()],
    )
    trainer.fit(Grip(), datamodule=TyreData())
    print(f"final val_mse {trainer.callback_metrics['val_mse'].item():.4f}")

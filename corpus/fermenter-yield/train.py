import logging
import warnings

import lightning as L
from lightning.pytorch.callbacks import Callback, EarlyStopping

from data import FEATURES, FermenterData
from module import TitreModel

warnings.filterwarnings("ignore", ".*does not have many workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)


class PrintMetrics(Callback):
    def on_train_epoch_end(self, trainer, module):
        m = {k: v.item() for k, v in trainer.callback_metrics.items()}
        print(f"epoch {trainer.current_epoch} step {trainer.global_step} train_nll {m['train_nll']:.4f} "
              f"val_nll {m['val_nll']:.4f} val_rmse {m['val_rmse']:.4f} cover95 {m['val_cover']:.3f}")


def main():
    L.seed_everything(77)
    data = FermenterData(seed=77)
    model = TitreModel(len(FEATURES))
    stop = EarlyStopping("val_nll", patience=3, min_delta=0.002)
    trainer = L.Trainer(
        max_epochs=5,
        accumulate_grad_batches=4,
        gradient_clip_val=1.0,
        callbacks=[PrintMetrics(), stop],
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
    )
    trainer.fit(model, data)
    final = trainer.validate(model, data, verbose=False)[0]
    print(f"final val_nll {final['val_nll']:.4f}, val_rmse {final['val_rmse']:.4f}")


if __name__ == "__main__":
    main()

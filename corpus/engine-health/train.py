import logging
import warnings

import lightning as L
import torch

from health import HealthNet
from plant import Plant

warnings.filterwarnings("ignore", ".*does not have many workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)


class Lines(L.Callback):
    def on_train_epoch_end(self, trainer, module):
        m = {k: float(v) for k, v in trainer.callback_metrics.items()}
        print(f"[{trainer.current_epoch:2d}] loss {m['loss']:.4f}  val_loss {m['val_loss']:.4f}  val_acc {m['val_acc']:.4f}")


def baseline(model, data):
    """Accuracy before any training, to compare the result with."""
    data.setup()
    x, state = data.val_set.tensors
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == state).float().mean().item()


def main():
    L.seed_everything(1234, verbose=False)
    data = Plant()
    model = HealthNet()
    print(f"untrained: {baseline(model, data):.4f}")
    trainer = L.Trainer(
        max_epochs=8, accelerator="cpu", callbacks=[Lines()], logger=False, num_sanity_val_steps=0,
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
    )
    trainer.fit(model, datamodule=data)


if __name__ == "__main__":
    main()

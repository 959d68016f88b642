import lightning as L
import numpy as np
from lightning.pytorch.callbacks import LambdaCallback
from torch.utils.data import DataLoader

from model import NextShow
from sessions import SHOWS, ListeningSessions

cfg = dict(seed=2, epochs=5, batch=64, sessions=4800, held_out=1000)

L.seed_everything(cfg["seed"])
rng = np.random.default_rng(cfg["seed"])
popularity = rng.pareto(1.2, SHOWS) + 0.2
train = DataLoader(ListeningSessions(cfg["sessions"], rng, popularity), batch_size=cfg["batch"], shuffle=True)
held = DataLoader(ListeningSessions(cfg["held_out"], rng, popularity), batch_size=400)


def report(trainer, module):
    m = trainer.callback_metrics
    print(f"epoch {trainer.current_epoch} loss {m['loss']:.4f} val_loss {m['val_loss']:.4f} hit@10 {m['hit@10']:.4f}")


print(f"a guess has loss {np.log(SHOWS):.3f} and hit@10 {10 / SHOWS:.3f}")
trainer = L.Trainer(max_epochs=cfg["epochs"], accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
                    callbacks=[LambdaCallback(on_train_epoch_end=report)])
trainer.fit(NextShow(SHOWS), train, held)
print(f"held-out hit@10 {trainer.callback_metrics['hit@10']:.4f}")

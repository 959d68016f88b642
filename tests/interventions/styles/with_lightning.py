"""A LightningModule under its Trainer."""

import logging
import warnings

import lightning as L
import torch
from task import BATCH, Net, Points, made, objective, options
from torch.utils.data import DataLoader

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Module(L.LightningModule):
    def __init__(self, o):
        super().__init__()
        self.o = o
        self.net = torch.compile(Net(o)) if o.compiled else Net(o)

    def training_step(self, batch, number):
        inputs, labels = batch
        if self.o.always_eval:
            self.net.eval()
        loss = objective(self.o, self.net(inputs), labels)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, number):
        inputs, labels = batch
        self.log("accuracy", (self.net(inputs).argmax(-1) == labels).float().mean())

    def optimizer_zero_grad(self, epoch, number, optimizer):
        if not self.o.never_clear:
            optimizer.zero_grad()

    def on_after_backward(self):
        if self.o.wipe:
            self.zero_grad()

    def configure_optimizers(self):
        optimizer, scheduler = made(self.o, self.net)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


if __name__ == "__main__":
    o = options()
    L.seed_everything(0, verbose=False)
    train = DataLoader(Points(ordered=o.ordered, floats=o.regress), BATCH, shuffle=not o.ordered, num_workers=o.workers)
    held_out = DataLoader(Points(seed=1, samples=64, floats=o.regress), 32)
    trainer = L.Trainer(
        max_steps=o.steps,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        gradient_clip_val=1.0,
        enable_progress_bar=False,
        enable_model_summary=False,
        precision="bf16-mixed" if o.half else "32-true",
    )
    trainer.fit(Module(o), train, held_out)
    print(trainer.callback_metrics)

import logging
import time
import warnings

import numpy as np
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, update_bn
from torch.utils.data import DataLoader, TensorDataset

from clicks import SPECIES, recordings

warnings.filterwarnings("ignore", category=UserWarning)
logging.basicConfig(level=logging.INFO, format="[%(levelname).1s %(relativeCreated)6d] %(message)s")
log = logging.getLogger("listen")

SEED = 64
BATCH = 24
EPOCHS = 4
LR = 6e-3


def build():
    return nn.Sequential(
        nn.Conv1d(1, 16, 7, stride=2, padding=3), nn.BatchNorm1d(16), nn.GELU(),
        nn.Conv1d(16, 32, 5, stride=2, padding=2), nn.BatchNorm1d(32), nn.GELU(),
        nn.Conv1d(32, 32, 5, stride=2, padding=2), nn.BatchNorm1d(32), nn.GELU(),
        nn.Flatten(), nn.Linear(32 * 10, len(SPECIES)),
    )


class Session:
    def __init__(self):
        torch.manual_seed(SEED)
        rng = np.random.default_rng(SEED)
        train_waves, train_species = recordings(2400, rng)
        self.test_waves, self.test_species = recordings(800, rng)
        self.loader = DataLoader(TensorDataset(train_waves, train_species), batch_size=BATCH, shuffle=True, drop_last=True)
        self.model = build()
        self.average = AveragedModel(self.model, multi_avg_fn=get_ema_multi_avg_fn(0.98))
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.RMSprop(self.model.parameters(), lr=LR, momentum=0.5)
        self.step = 0

    def train_step(self, waves, species):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = self.model(waves)
            loss = self.criterion(logits, species)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.average.update_parameters(self.model)
        self.step += 1
        return loss.item()

    @torch.no_grad()
    def accuracy(self, model):
        model.eval()
        logits = model(self.test_waves)
        return (logits.argmax(1) == self.test_species).float().mean().item()

    def run(self):
        started = time.perf_counter()
        for epoch in range(EPOCHS):
            self.model.train()
            for waves, species in self.loader:
                loss = self.train_step(waves, species)
                if self.step % 20 == 0:
                    log.info("step %d loss %.4f", self.step, loss)
            log.info("epoch %d raw accuracy %.4f", epoch, self.accuracy(self.model))
        update_bn(self.loader, self.average)
        log.info("%d steps in %.1f s", self.step, time.perf_counter() - started)
        print(f"accuracy of averaged weights {self.accuracy(self.average):.4f}")


if __name__ == "__main__":
    Session().run()

from collections import defaultdict

import torch
from torch import nn


class Meter:
    """Running means by name."""

    def __init__(self):
        self.sums, self.counts = defaultdict(float), defaultdict(int)

    def add(self, n, **values):
        for name, value in values.items():
            self.sums[name] += float(value) * n
            self.counts[name] += n

    def __getitem__(self, name):
        return self.sums[name] / self.counts[name]


class Engine:
    def __init__(self, model, lr, total_steps):
        self.model = model
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(self.optimizer, max_lr=2 * lr, total_steps=total_steps)

    def train(self, loader):
        self.model.train()
        meter = Meter()
        for clips, labels in loader:
            logits = self.model(clips)
            loss = self.criterion(logits, labels)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.scheduler.step()
            meter.add(len(labels), loss=loss.item(), acc=(logits.argmax(1) == labels).float().mean())
        return meter

    @torch.inference_mode()
    def test(self, loader):
        self.model.eval()
        meter = Meter()
        for clips, labels in loader:
            logits = self.model(clips)
            meter.add(len(labels), loss=self.criterion(logits, labels), acc=(logits.argmax(1) == labels).float().mean())
        return meter

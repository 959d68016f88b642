import math
import os
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def gratings(n, n_orient=6, size=12, seed=0):
    """Oriented sine gratings with random phase, frequency and pixel noise."""
    g = torch.Generator().manual_seed(seed)
    label = torch.randint(n_orient, (n,), generator=g)
    angle = label * math.pi / n_orient + 0.08 * torch.randn(n, generator=g)
    freq = 0.9 + 0.5 * torch.rand(n, generator=g)
    phase = 2 * math.pi * torch.rand(n, generator=g)
    yy, xx = torch.meshgrid(torch.arange(size).float(), torch.arange(size).float(), indexing="ij")
    u = angle.cos()[:, None, None] * xx + angle.sin()[:, None, None] * yy
    img = torch.sin(freq[:, None, None] * u + phase[:, None, None])
    img = img + 0.4 * torch.randn(n, size, size, generator=g)
    return img.unsqueeze(1), label


class ConvNet(nn.Module):
    def __init__(self, n_out=6):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 5), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 16, 3), nn.ReLU(),
        )
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(16 * 2 * 2, 32), nn.ReLU(), nn.Linear(32, n_out))

    def forward(self, x):
        return self.classifier(self.features(x))


class Trainer(object):
    def __init__(self, model, train_loader, val_loader, lr=0.02, momentum=0.9, log_every=30, ckpt_dir=None):
        self.model = model
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr, momentum=momentum)
        self.log_every = log_every
        self.ckpt_dir = ckpt_dir
        self.best = float("inf")
        self.step = 0

    def run_epoch(self):
        self.model.train()
        for images, labels in self.train_loader:
            self.optimizer.zero_grad
            logits = self.model(images)
            loss = self.criterion(logits, labels)
            loss.backward()
            self.optimizer.step()
            self.step += 1
            if self.step % self.log_every == 0:
                print("step {:4d}   loss {:.4f}".format(self.step, loss.item()))

    def validate(self):
        self.model.eval()
        total = 0.0
        right = 0
        with torch.no_grad():
            for images, labels in self.val_loader:
                logits = self.model(images)
                total += self.criterion(logits, labels).item() * len(labels)
                right += (logits.argmax(dim=1) == labels).sum().item()
        n = len(self.val_loader.dataset)
        return total / n, right / n

    def save(self, val_loss):
        path = os.path.join(self.ckpt_dir, "best.pt")
        torch.save({"model": self.model.state_dict(), "step": self.step, "val_loss": val_loss}, path)

    def fit(self, epochs):
        for epoch in range(1, epochs + 1):
            self.run_epoch()
            val_loss, val_acc = self.validate()
            print("== epoch {} | val loss {:.4f} | val acc {:.2%}".format(epoch, val_loss, val_acc))
            if self.ckpt_dir and val_loss < self.best:
                self.best = val_loss
                self.save(val_loss)


if __name__ == "__main__":
    torch.manual_seed(11)
    train_loader = DataLoader(TensorDataset(*gratings(2400, seed=1)), batch_size=64, shuffle=True)
    val_loader = DataLoader(TensorDataset(*gratings(480, seed=2)), batch_size=120)
    with tempfile.TemporaryDirectory() as ckpt_dir:
        Trainer(ConvNet(), train_loader, val_loader, ckpt_dir=ckpt_dir).fit(epochs=8)

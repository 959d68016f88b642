import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

COUNTRIES = ["ardenna", "borland", "celtis", "dravia", "elmar", "fennia", "gorm"]
SIDE = 16


def draw_stamps(n, seed):
    """Coloured 16x16 pictures: every country has a frame colour and a motif of its own."""
    rng = np.random.default_rng(seed)
    country = rng.integers(0, len(COUNTRIES), n)
    yy, xx = np.mgrid[:SIDE, :SIDE] / (SIDE - 1)
    pictures = np.empty((n, 3, SIDE, SIDE), dtype=np.float32)
    for i, c in enumerate(country):
        wave = np.sin(2 * np.pi * (1 + c % 4) * (xx * np.cos(0.4 * c) + yy * np.sin(0.4 * c)) + rng.uniform(0, 1.0))
        picture = 120 + 22 * wave + rng.normal(0, 60, (3, SIDE, SIDE)) + rng.normal(0, 15, (3, 1, 1))
        picture[c % 3, :2] += 12
        picture[c % 3, -2:] += 12
        pictures[i] = np.clip(picture, 0, 255)
    return torch.from_numpy(pictures), torch.from_numpy(country)


class StampSet(Dataset):
    def __init__(self, pictures, country, mean, std, augment):
        self.pictures = (pictures - mean) / std
        self.country = country
        self.augment = augment

    def __len__(self):
        return len(self.country)

    def __getitem__(self, i):
        picture = self.pictures[i]
        if self.augment:
            padded = F.pad(picture, (2, 2, 2, 2))
            top, left = torch.randint(0, 5, (2,)).tolist()
            picture = padded[:, top:top + SIDE, left:left + SIDE]
            if torch.rand(()) < 0.3:
                side = int(torch.randint(3, 7, ()))
                picture = picture.clone()
                picture[:, top:top + side, left:left + side] = 0.0
        return picture, self.country[i]


class StampNet(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.head = nn.Linear(24 * 4 * 4, n_classes)

    def forward(self, x):
        return self.head(self.body(x).flatten(1))


def evaluate(model, loader):
    model.eval()
    loss = correct = total = 0
    with torch.no_grad():
        for x, y in loader:
            logits = model(x)
            loss += F.cross_entropy(logits, y, reduction="sum").item()
            correct += (logits.argmax(1) == y).sum().item()
            total += len(y)
    return loss / total, correct / total


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=7)
    ap.add_argument("--batch", type=int, default=50)
    ap.add_argument("--lr", type=float, default=0.05)
    ap.add_argument("--smoothing", type=float, default=0.1)
    ap.add_argument("--seed", type=int, default=6)
    opt = ap.parse_args()

    torch.manual_seed(opt.seed)
    x_train, y_train = draw_stamps(2000, opt.seed)
    x_test, y_test = draw_stamps(700, opt.seed + 1)
    mean = x_train.mean((0, 2, 3)).view(3, 1, 1)
    std = x_train.std((0, 2, 3)).view(3, 1, 1)
    train = DataLoader(StampSet(x_train, y_train, mean, std, augment=True), batch_size=opt.batch, shuffle=True, drop_last=True)
    test = DataLoader(StampSet(x_test, y_test, mean, std, augment=False), batch_size=350)

    model = StampNet(len(COUNTRIES))
    criterion = nn.CrossEntropyLoss(label_smoothing=opt.smoothing)
    optimizer = torch.optim.SGD(model.parameters(), lr=opt.lr, momentum=0.9, weight_decay=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=len(train), T_mult=2)

    for epoch in range(1, opt.epochs + 1):
        model.train()
        for step, (x, y) in enumerate(train):
            logits = model(x)
            loss = criterion(logits, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            if step % 20 == 0:
                print(f"  {epoch}.{step:02d} loss {loss.item():.3f} lr {optimizer.param_groups[0]['lr']:.4f}")
        test_loss, test_acc = evaluate(model, test)
        print(f"epoch {epoch} test loss {test_loss:.4f} test acc {test_acc:.4f}")


if __name__ == "__main__":
    main()

"""Leaf margins (entire, lobed, toothed) from herbarium sheets. Start with run.sh."""
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from sheets import SheetArchive, Sheets, read_labels

EPOCHS, BATCH = 8, 10
torch.manual_seed(1)

rows = read_labels()
archive = SheetArchive()
test_loader = DataLoader(Sheets(archive, rows[:60]), batch_size=30)
train_loader = DataLoader(Sheets(archive, rows[60:]), batch_size=BATCH, shuffle=True)


class MarginNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 16, 5, stride=2), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2))
        self.body = nn.Sequential(nn.Conv2d(16, 32, 3), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Linear(32 * 5 * 5, 3)

    def forward(self, x):
        return self.head(self.body(self.stem(x)).flatten(1))


model = MarginNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.CrossEntropyLoss()

for epoch in range(EPOCHS):
    t0 = time.time()
    model.train()
    total = 0.0
    for img, margin in train_loader:
        optimizer.zero_grad()
        loss = loss_fn(model(img), margin)
        loss.backward()
        optimizer.step()
        total += loss.item() / len(train_loader)
    print(f"Epoch {epoch + 1}: loss {total:.4f} ({time.time() - t0:.1f} s)")

model.eval()
with torch.no_grad():
    correct = sum((model(img).argmax(1) == margin).sum().item() for img, margin in test_loader)
print(f"Test accuracy: {correct / 60:.3f}")

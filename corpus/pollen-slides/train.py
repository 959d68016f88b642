import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from net import PollenNet
from slides import SpeciesTable, class_weights, load_tiles, turn_and_flip

DATA = os.environ.get("POLLEN_DATA", "data")
EPOCHS = 6
BATCH = 60
LR = 0.015

torch.manual_seed(1234)
np.random.seed(1234)


def balanced_accuracy(model, loader, n_species):
    model.eval()
    hits = torch.zeros(n_species)
    count = torch.zeros(n_species)
    with torch.no_grad():
        for tiles, target in loader:
            guess = model(tiles).argmax(1)
            count += torch.bincount(target, minlength=n_species)
            hits += torch.bincount(target[guess == target], minlength=n_species)
    return hits / count.clamp(min=1)


table = SpeciesTable(os.path.join(DATA, "species.csv"))
print("training slides")
x_train, y_train = load_tiles(os.path.join(DATA, "slide_*.npz"), table)
print("holdout")
x_hold, y_hold = load_tiles(os.path.join(DATA, "holdout.npz"), table)
train_loader = DataLoader(TensorDataset(x_train, y_train), batch_size=BATCH, shuffle=True, drop_last=True)
hold_loader = DataLoader(TensorDataset(x_hold, y_hold), batch_size=300)

model = PollenNet(len(table))
weights = class_weights(y_train, len(table))
print("weights", " ".join(f"{n}={w:.2f}" for n, w in zip(table.names, weights.tolist())))
criterion = nn.CrossEntropyLoss(weight=weights)
optimizer = torch.optim.SGD(model.parameters(), lr=LR, momentum=0.9, nesterov=True, weight_decay=5e-4)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)

for epoch in range(EPOCHS):
    model.train()
    running = 0.0
    for tiles, target in train_loader:
        tiles = turn_and_flip(tiles)
        optimizer.zero_grad()
        logits = model(tiles)
        loss = criterion(logits, target)
        loss.backward()
        optimizer.step()
        running += loss.item()
    scheduler.step()
    recall = balanced_accuracy(model, hold_loader, len(table))
    print(f"[{epoch + 1}/{EPOCHS}] loss={running / len(train_loader):.4f} balanced_acc={recall.mean().item():.4f} "
          f"worst={table.names[recall.argmin().item()]}:{recall.min().item():.2f}")

os.makedirs("out", exist_ok=True)
torch.save({"model": model.state_dict(), "species": table.names}, "out/pollen.pt")
print(f"final balanced accuracy {recall.mean().item():.4f}")

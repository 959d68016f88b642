"""Adapts the fleet's bearing encoder to one kiln with a few hundred labelled windows."""
import json
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from bearings.files import load_encoder, windows
from bearings.nets import StateClassifier, WaveEncoder

EPOCHS = 30
BATCH = 20
PATIENCE = 8


def evaluate(model, loader):
    model.eval()
    loss, hits, n = 0.0, 0, 0
    with torch.no_grad():
        for wave, state in loader:
            logits = model(wave)
            loss += F.cross_entropy(logits, state, reduction="sum").item()
            hits += (logits.argmax(1) == state).sum().item()
            n += len(state)
    return loss / n, hits / n


def main():
    torch.manual_seed(404)
    names = json.loads(Path("data/states.json").read_text())
    encoder = WaveEncoder()
    mean, std = load_encoder("weights/fleet.pt", encoder)
    train_loader = DataLoader(windows("data", "train_*.npz", mean, std), batch_size=BATCH, shuffle=True)
    val_loader = DataLoader(windows("data", "val.npz", mean, std), batch_size=250)

    model = StateClassifier(encoder, len(names))
    trainable = [p for p in model.parameters() if p.requires_grad]
    total = sum(p.numel() for p in model.parameters())
    print(f"{sum(p.numel() for p in trainable)} of {total} parameters are trained on {len(train_loader.dataset)} windows")
    optimizer = torch.optim.Adam(trainable, lr=0.01)

    best_loss, best_acc, best_epoch, best_state = float("inf"), 0.0, 0, None
    for epoch in range(EPOCHS):
        model.train()
        train_loss = 0.0
        for wave, state in train_loader:
            logits = model(wave)
            loss = F.cross_entropy(logits, state)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            train_loss += loss.item() * len(state)
        train_loss /= len(train_loader.dataset)
        val_loss, val_acc = evaluate(model, val_loader)
        if epoch % 2 == 0:
            print(f"epoch {epoch:2d}: train {train_loss:.4f}  val {val_loss:.4f}  acc {val_acc:.3f}")
        if val_loss < best_loss:
            best_loss, best_acc, best_epoch = val_loss, val_acc, epoch
            best_state = {k: v.clone() for k, v in model.state_dict().items()}
        elif epoch - best_epoch >= PATIENCE:
            print(f"no better loss since epoch {best_epoch}, stopping")
            break

    Path("out").mkdir(exist_ok=True)
    torch.save(best_state, "out/kiln.pt")
    print(f"kept epoch {best_epoch}: val accuracy {best_acc:.3f}")


if __name__ == "__main__":
    main()

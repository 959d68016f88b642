"""python -m routing.main [key=value ...]"""
import json
import sys
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from .model import Router
from .tickets import collate, part

OPTIONS = {"data": "data", "epochs": 10, "batch": 64, "lr": 0.01, "seed": 7}


def macro_f1(scores, labels):
    guess = scores > 0
    truth = labels > 0.5
    hits = (guess & truth).sum(0).float()
    f1 = 2 * hits / (guess.sum(0) + truth.sum(0)).clamp(min=1)
    return f1.mean().item(), f1


def run(opts):
    torch.manual_seed(opts["seed"])
    folder = Path(opts["data"])
    topics = json.loads((folder / "topics.json").read_text())
    n_words = len((folder / "vocab.txt").read_text().splitlines())
    train_set, val_set = part(folder, "train"), part(folder, "val")
    train_loader = DataLoader(train_set, batch_size=opts["batch"], shuffle=True, collate_fn=collate)
    val_loader = DataLoader(val_set, batch_size=200, collate_fn=collate)

    all_labels = torch.stack([labels for _, labels in train_set])
    frequency = all_labels.mean(0)
    print(f"{len(train_set)} tickets, {n_words} words; topics: "
          + ", ".join(f"{t} {p:.0%}" for t, p in zip(topics, frequency.tolist())))

    model = Router(n_words, len(topics))
    criterion = nn.BCEWithLogitsLoss(pos_weight=(1 - frequency) / frequency)
    optimizer = torch.optim.AdamW(model.parameters(), lr=opts["lr"], weight_decay=0.02)
    for epoch in range(1, opts["epochs"] + 1):
        model.train()
        train_loss = 0.0
        for tokens, offsets, labels in train_loader:
            scores = model(tokens, offsets)
            loss = criterion(scores, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            train_loss += loss.item() / len(train_loader)

        model.eval()
        val_scores, val_labels = [], []
        with torch.no_grad():
            for tokens, offsets, labels in val_loader:
                val_scores.append(model(tokens, offsets))
                val_labels.append(labels)
        val_scores, val_labels = torch.cat(val_scores), torch.cat(val_labels)
        val_loss = criterion(val_scores, val_labels).item()
        f1, per_topic = macro_f1(val_scores, val_labels)
        print(json.dumps({"epoch": epoch, "train_loss": round(train_loss, 4), "val_loss": round(val_loss, 4), "macro_f1": round(f1, 4)}))

    print("per topic: " + "  ".join(f"{t} {v:.2f}" for t, v in zip(topics, per_topic.tolist())))
    print(f"macro F1 {f1:.4f}")


if __name__ == "__main__":
    options = dict(OPTIONS)
    for item in sys.argv[1:]:
        name, value = item.split("=", 1)
        options[name] = type(OPTIONS[name])(value)
    run(options)

"""Activity recognition from windows of accelerometer features."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

ACTIVITIES = ["walk", "run", "sit", "stand", "stairs-up", "stairs-down"]


def record_session(rng, per_activity, n_features=20):
    """One block of windows per activity, in the order in which they were recorded."""
    centers = rng.normal(scale=1.0, size=(len(ACTIVITIES), n_features))
    windows, activity = [], []
    for k in range(len(ACTIVITIES)):
        intensity = rng.gamma(4.0, 0.25, size=(per_activity, 1))
        windows.append(intensity * centers[k] + rng.normal(scale=0.7, size=(per_activity, n_features)))
        activity.append(np.full(per_activity, k))
    return np.concatenate(windows).astype(np.float32), np.concatenate(activity).astype(np.int64)


def load(rng, batch_size):
    windows, activity = record_session(rng, per_activity=900)
    windows = (windows - windows.mean(0)) / windows.std(0)
    rng.shuffle(windows)
    rng.shuffle(activity)
    cut = int(0.85 * len(windows))
    train = TensorDataset(torch.from_numpy(windows[:cut]), torch.from_numpy(activity[:cut]))
    valid = TensorDataset(torch.from_numpy(windows[cut:]), torch.from_numpy(activity[cut:]))
    return DataLoader(train, batch_size=batch_size, shuffle=True), DataLoader(valid, batch_size=405)


def accuracy(model, loader):
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for x, y in loader:
            hits += (model(x).argmax(1) == y).sum().item()
            total += len(y)
    return hits / total


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--hidden", type=int, default=32)
    args = ap.parse_args()

    rng = np.random.default_rng()
    train, valid = load(rng, args.batch_size)
    model = nn.Sequential(
        nn.Linear(20, args.hidden), nn.ReLU(), nn.Dropout(0.1),
        nn.Linear(args.hidden, args.hidden), nn.ReLU(),
        nn.Linear(args.hidden, len(ACTIVITIES)),
    )
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)

    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for i, (x, y) in enumerate(train):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch + 1}: loss {total / len(train):.4f}, val acc {accuracy(model, valid):.3f}")


if __name__ == "__main__":
    main()

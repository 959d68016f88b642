"""Machine state recognition from short vibration recordings."""
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, Dataset

cfg = SimpleNamespace(
    length=96,
    n_states=6,
    n_train=2500,
    n_val=500,
    batch_size=64,
    lr=4e-3,
    epochs=12,
    seed=21,
)


class Recordings(Dataset):
    """Each state has its own pair of tones and modulation; phase and gain vary."""

    TONES = [(0.05, 0.21), (0.05, 0.33), (0.11, 0.21), (0.11, 0.33), (0.08, 0.27), (0.08, 0.40)]

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        t = np.arange(cfg.length)
        self.labels = rng.integers(cfg.n_states, size=n)
        phases = rng.uniform(0, 2 * np.pi, size=(n, 2))
        gains = rng.uniform(0.7, 1.3, size=(n, 2))
        tones = np.array(self.TONES)[self.labels]
        wave = sum(
            gains[:, k:k + 1] * np.sin(2 * np.pi * tones[:, k:k + 1] * t + phases[:, k:k + 1]) for k in range(2)
        )
        wave = wave + 0.6 * rng.standard_normal(wave.shape)
        wave /= wave.std(axis=1, keepdims=True)
        self.signals = torch.as_tensor(wave[:, None, :], dtype=torch.float32)
        self.labels = torch.as_tensor(self.labels)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.signals[i], self.labels[i]


class StateNet(nn.Module):
    def __init__(self, n_states):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv1d(1, 8, kernel_size=11, stride=2),
            nn.ReLU(),
            nn.Conv1d(8, 12, kernel_size=7),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(1),
            nn.Flatten(),
        )
        self.head = nn.Linear(12, n_states)

    def forward(self, signal):
        return self.head(self.encoder(signal))


torch.manual_seed(cfg.seed)
train_loader = DataLoader(Recordings(cfg.n_train, 0), batch_size=cfg.batch_size, shuffle=True)
val_loader = DataLoader(Recordings(cfg.n_val, 1), batch_size=250)

model = StateNet(cfg.n_states)
loss_fn = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.head.parameters(), lr=cfg.lr)

for epoch in range(cfg.epochs):
    model.train()
    seen, total = 0, 0.0
    for signal, label in train_loader:
        optimizer.zero_grad()
        loss = loss_fn(model(signal), label)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(label)
        seen += len(label)
    model.eval()
    correct = 0
    with torch.no_grad():
        for signal, label in val_loader:
            correct += (model(signal).argmax(1) == label).sum().item()
    print(f"Epoch {epoch + 1:02d}/{cfg.epochs}  loss: {total / seen:.4f}  val_acc: {correct / cfg.n_val:.4f}")

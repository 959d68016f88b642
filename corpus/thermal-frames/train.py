"""Count the hot spots (0..4) in a thermal frame."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class ThermalFrames(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        yy, xx = np.mgrid[:12, :12]
        self.counts = rng.integers(0, 5, size=n)
        frames = np.full((n, 12, 12), 90.0) + rng.normal(scale=6.0, size=(n, 12, 12))
        spots = np.array([[2, 2], [2, 9], [9, 2], [9, 9], [5, 5]])
        for i, c in enumerate(self.counts):
            for r, k in rng.permutation(spots)[:c]:
                frames[i] += 110 * np.exp(-((yy - r) ** 2 + (xx - k) ** 2) / 2.5)
        frames = np.clip(frames, 0, 255).astype(np.uint8)
        self.frames = torch.from_numpy(frames.astype(np.float32)).unsqueeze(1)
        self.counts = torch.from_numpy(self.counts)

    def __len__(self):
        return len(self.counts)

    def __getitem__(self, i):
        return self.frames[i], self.counts[i]


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, 3, padding=1)
        self.conv2 = nn.Conv2d(10, 16, 3, padding=1)
        self.fc1 = nn.Linear(16 * 3 * 3, 32)
        self.fc2 = nn.Linear(32, 5)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        x = torch.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)


def main():
    torch.manual_seed(40)
    train = DataLoader(ThermalFrames(2500, 0), batch_size=50, shuffle=True)
    valid = DataLoader(ThermalFrames(500, 1), batch_size=250)
    net = Counter()
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)
    for epoch in range(8):
        net.train()
        running = 0.0
        for frame, count in train:
            optimizer.zero_grad()
            loss = loss_fn(net(frame), count)
            loss.backward()
            optimizer.step()
            running += loss.item()
        net.eval()
        with torch.no_grad():
            hits = sum((net(f).argmax(1) == c).sum().item() for f, c in valid)
        print(f"epoch {epoch}: loss {running / len(train):.4f}  val acc {hits / 500:.3f}")


if __name__ == "__main__":
    main()

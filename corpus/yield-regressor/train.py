import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Fields(Dataset):
    """Soil, rain and treatment of a field, and its (standardised) yield."""

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(n, 9))
        y = x[:, 0] + 0.8 * np.tanh(2 * x[:, 1]) - 0.5 * x[:, 2] ** 2 + 0.6 * x[:, 3] * x[:, 4] + 0.2 * rng.normal(size=n)
        self.x = torch.tensor(x, dtype=torch.float32)
        self.y = (y - y.mean()) / y.std()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"x": self.x[i], "yield": torch.tensor(self.y[i], dtype=torch.float32)}


class YieldModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(9, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, x):
        return self.net(x)


class Trainer:
    def __init__(self, model, lr=3e-3):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, batch):
        prediction = self.model(batch["x"])
        diff = prediction - batch["yield"]
        return (diff ** 2).mean()

    def fit(self, loader, valid, epochs):
        for epoch in range(epochs):
            self.model.train()
            running = 0.0
            for batch in loader:
                self.optimizer.zero_grad()
                loss = self.loss(batch)
                loss.backward()
                self.optimizer.step()
                running += loss.item()
            self.model.eval()
            with torch.no_grad():
                v = sum(self.loss(b).item() for b in valid) / len(valid)
            print(f"epoch {epoch:2d}  train loss {running / len(loader):.4f}  valid loss {v:.4f}")


if __name__ == "__main__":
    torch.manual_seed(61)
    train_loader = DataLoader(Fields(2500, 0), batch_size=50, shuffle=True)
    valid_loader = DataLoader(Fields(500, 1), batch_size=100)
    Trainer(YieldModel()).fit(train_loader, valid_loader, epochs=10)

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng()


def apartments(n):
    area = rng.uniform(25, 140, n)
    floor = rng.integers(0, 9, n)
    km = rng.exponential(4.0, n)
    year = rng.integers(1920, 2024, n)
    price = 2.1 * area * np.exp(-km / 12) + 1.5 * floor + 0.2 * (year - 1970) + 6 * rng.standard_normal(n)
    return np.stack([area, floor, km, year], 1).astype(np.float32), price.astype(np.float32)


X, price = apartments(3000)
mu, sd = X[:2500].mean(0), X[:2500].std(0)
X = (X - mu) / sd
print("price in thousands: mean %.1f, std %.1f" % (price.mean(), price.std()))

train_dl = DataLoader(TensorDataset(torch.tensor(X[:2500]), torch.tensor(price[:2500])), batch_size=50, shuffle=True)
Xt, pt = torch.tensor(X[2500:]), torch.tensor(price[2500:])

model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1), nn.Flatten(0))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
mse = nn.MSELoss()

for epoch in range(14):
    tot = 0
    for xb, yb in train_dl:
        loss = mse(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        mae = (model(Xt) - pt).abs().mean().item()
    print(f"epoch {epoch}: mse {tot / len(train_dl):.1f}, test mae {mae:.1f}k")

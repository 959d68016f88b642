"""Ordinal regression: class probabilities are differences of a sigmoid at learned thresholds."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

EPS = 1e-8


class OrdinalNet(nn.Module):
    def __init__(self, n_in, n_levels, hidden=32):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(n_in, hidden), nn.Tanh(), nn.Linear(hidden, 1))
        self.first = nn.Parameter(torch.tensor(-1.5))
        self.gaps = nn.Parameter(torch.zeros(n_levels - 2))

    def forward(self, x):
        cuts = self.first + torch.cat([torch.zeros(1), nn.functional.softplus(self.gaps).cumsum(0)])
        below = torch.sigmoid(cuts - self.score(x))
        ones, zeros = torch.ones(len(x), 1), torch.zeros(len(x), 1)
        return torch.cat([below, ones], dim=1) - torch.cat([zeros, below], dim=1)


def graded_items(n, gen):
    x = torch.randn(n, 6, generator=gen)
    quality = x[:, 0] + 0.7 * x[:, 1] * x[:, 2] + torch.sin(2 * x[:, 3]) + 0.25 * torch.randn(n, generator=gen)
    level = torch.bucketize(quality, torch.tensor([-1.4, -0.4, 0.4, 1.4]))
    return x, level


if __name__ == "__main__":
    torch.manual_seed(9)
    gen = torch.Generator().manual_seed(9)
    train = DataLoader(TensorDataset(*graded_items(3000, gen)), batch_size=60, shuffle=True)
    xv, yv = graded_items(600, gen)
    model = OrdinalNet(6, 5)
    nll = nn.NLLLoss()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=3e-3)
    for epoch in range(16):
        running = 0.0
        for x, y in train:
            optimizer.zero_grad()
            p = model(x)
            loss = nll(torch.log(p + EPS), y)
            loss.backward()
            optimizer.step()
            running += loss.item()
        with torch.no_grad():
            p = model(xv)
            val = nll(torch.log(p + EPS), yv).item()
            off = (p.argmax(1) - yv).abs().float().mean().item()
        print(f"epoch {epoch:2d}  nll {running / len(train):.4f}  val nll {val:.4f}  mean level error {off:.3f}")

"""Scores are turned into shares in place; a sample whose scores are all zero is divided by zero."""

# truth: step=110 phase=forward op=div module=shares zeros=4 divisor_zeros=1
import torch
from torch import nn


class Shares(nn.Module):
    def __init__(self, width, parts):
        super().__init__()
        self.score = nn.Linear(width, parts, bias=False)

    def forward(self, x):
        scores = self.score(x).abs()
        scores.div_(scores.sum(-1, keepdim=True))  # <- here
        return scores


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.shares, self.values = Shares(5, 4), nn.Linear(5, 4)

    def forward(self, x):
        return (self.shares(x) * self.values(x)).sum(-1)


torch.manual_seed(15)
x = torch.randn(130, 10, 5)
y = x[..., 0] * x[..., 1]
x[110, 8] = 0
model = Mixture()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
losses = []
for step in range(130):
    loss = nn.functional.huber_loss(model(x[step]), y[step])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[::10], losses[-1], torch.rand(1).item())

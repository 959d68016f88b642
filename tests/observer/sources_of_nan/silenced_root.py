"""The slope of a square root at zero is infinite, but the units that are zero are those that a ReLU has cut off."""

# truth: none
import torch
from torch import nn


class RootPooling(nn.Module):
    def forward(self, x):
        size = x.abs() ** 0.5
        return x.sign() * size


torch.manual_seed(32)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), RootPooling(), nn.Linear(12, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
losses = []
for _ in range(20):
    x = torch.randn(16, 6)
    loss = nn.functional.mse_loss(model(x), x.sum(-1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

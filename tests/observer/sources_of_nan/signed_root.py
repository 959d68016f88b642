"""The first batch has an empty sample, which is pooled with a square root, whose slope at zero is infinite."""

# truth: step=0 phase=backward op=pow module=1
import torch
from torch import nn


class RootPooling(nn.Module):
    def forward(self, x):
        size = x.abs() ** 0.5  # <- here
        return x.sign() * size


torch.manual_seed(32)
model = nn.Sequential(nn.Linear(6, 12, bias=False), RootPooling(), nn.Linear(12, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
losses = []
data = torch.randn(20, 16, 6)
data[0, 11] = 0
for x in data:
    loss = nn.functional.mse_loss(model(x), x.sum(-1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

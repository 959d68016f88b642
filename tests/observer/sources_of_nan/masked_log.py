"""Zeros in the targets give -inf and then NaN, which where leaves out; predictions are made safe before their log."""

# truth: none
import torch
from torch import nn


def divergence(scores, target):
    surprise = target * torch.log(target)
    surprise = torch.where(target > 0, surprise, torch.zeros_like(surprise))
    kept = torch.relu(scores)
    safe = torch.where(kept > 0, kept, torch.ones_like(kept))
    return (surprise - target * torch.where(kept > 0, torch.log(safe), torch.full_like(safe, -4.0))).sum(-1).mean()


torch.manual_seed(51)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
losses = []
for _ in range(80):
    x = torch.randn(10, 6)
    target = torch.softmax(x[:, :4], -1) * (x[:, :4] > 0)
    loss = divergence(torch.sigmoid(model(x)), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

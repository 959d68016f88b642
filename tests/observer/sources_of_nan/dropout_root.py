"""Dropout makes a zero that only this draw makes, and the root behind it has no gradient there."""

# truth: step=38 phase=backward op=sqrt module=length
import torch
from torch import nn


class Length(nn.Module):
    def forward(self, h):
        return h.square().sum(-1, keepdim=True).sqrt()  # <- here


torch.manual_seed(67)
model = nn.Sequential()
model.add_module("body", nn.Linear(4, 8))
model.add_module("drop", nn.Dropout(0.01))
model.add_module("length", Length())
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
losses = []
for step in range(60):
    model.drop.p = 0.75 if step == 38 else 0.01
    x = torch.randn(64, 4)
    loss = nn.functional.mse_loss(model(x), x.abs().sum(-1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

"""Columns are written into place one by one; one of them is the log of zero."""

# truth: step=40 phase=forward op=log module=slots
import torch
from torch import nn


class Slots(nn.Module):
    def forward(self, x):
        out = torch.zeros(x.shape[0], 3)
        out[:, 0] = x[:, 0]
        out[:, 1] = torch.log(x[:, 1])  # <- here
        out[:, 2].add_(x[:, 2])
        return out


torch.manual_seed(71)
model = nn.Sequential()
model.add_module("body", nn.Linear(4, 3))
model.add_module("positive", nn.ReLU())
model.add_module("slots", Slots())
model.add_module("last", nn.Linear(3, 1))
with torch.no_grad():
    model.body.weight.uniform_(0.1, 0.5)
    model.body.bias.fill_(0.1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
data = torch.rand(50, 8, 4)
data[40, 5] = -10
losses = []
for x in data:
    loss = nn.functional.mse_loss(model(x), x.sum(-1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

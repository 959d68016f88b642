"""Matrices large enough for a pool of threads; the replay has no such pool, and must not wait for one."""

# truth: step=31 phase=forward op=log module=tail zeros=1 threads=2
import torch
from torch import nn


class Tail(nn.Module):
    def forward(self, x):
        return torch.log(x)  # <- here


torch.manual_seed(70)
model = nn.Sequential()
model.add_module("first", nn.Linear(512, 512))
model.add_module("positive", nn.Softplus())
model.add_module("cut", nn.Hardtanh(1e-3, 1e3))
model.add_module("tail", Tail())
model.add_module("last", nn.Linear(512, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
losses = []
for step in range(34):
    x = torch.randn(512, 512)
    if step == 31:
        model.cut.min_val = 0.0
        with torch.no_grad():
            model.first.bias[7] = -1e6
            x = x[:1]
    loss = nn.functional.mse_loss(model(x), x.mean(-1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

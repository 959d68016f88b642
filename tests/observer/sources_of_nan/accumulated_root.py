"""Only the first of three small batches has a bad gradient, and every loss of the step is finite."""

# truth: step=29 phase=backward op=pow module=gain
import torch
from torch import nn


class Gain(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(6))

    def forward(self, x):
        return torch.pow((x * self.scale).square().sum(-1), 0.25)  # <- here


class Meter(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain, self.offset = Gain(), nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return self.gain(x) + self.offset


torch.manual_seed(46)
data = torch.randn(40, 3, 7, 6)
data[29, 0, 5] = 0
model = Meter()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
losses = []
for parts in data:
    optimizer.zero_grad()
    for x in parts:
        loss = nn.functional.mse_loss(model(x), x.abs().mean(-1)) / len(parts)
        loss.backward()
        losses.append(loss.item())
    nn.utils.clip_grad_value_(model.parameters(), 1.0)
    optimizer.step()
print(losses, torch.rand(1).item())

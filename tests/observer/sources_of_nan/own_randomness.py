"""The model draws from generators that are not torch's and counts its calls; one draw, never to come again, is zero."""

# truth: step=118 phase=forward op=log module=augment replay=out-of-reach
import random

import torch
from torch import nn


class Augment(nn.Module):
    def __init__(self, strengths):
        super().__init__()
        self.strengths, self.calls = iter(strengths), 0

    def forward(self, x):
        self.calls += 1
        strength = next(self.strengths) * random.choice([1.0, 2.0])
        return torch.log(strength * x.abs())  # <- here


class Model(nn.Module):
    def __init__(self, strengths):
        super().__init__()
        self.augment, self.out = Augment(strengths), nn.Linear(3, 1)

    def forward(self, x):
        return self.out(self.augment(x))


random.seed(39)
torch.manual_seed(39)
strengths = [random.uniform(0.5, 1.5) for _ in range(1000)]
strengths[118] = 0.0
model = Model(strengths)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
losses = []
for _ in range(150):
    x = torch.randn(8, 3)
    good = [p.detach().clone() for p in model.parameters()]
    loss = (model(x) - x.sum(-1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    if not torch.isfinite(model.out.weight).all():
        with torch.no_grad():
            for parameter, value in zip(model.parameters(), good, strict=True):
                parameter.copy_(value)
print(losses, model.augment.calls, random.random(), torch.rand(1).item())

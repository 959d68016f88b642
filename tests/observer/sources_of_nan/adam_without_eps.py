"""A layer that gets gradients of zero only is unfrozen late, under Adam without an epsilon: zero over zero."""

# truth: step=150 phase=optimizer op=addcdiv,div,adam,step
import torch
from torch import nn


class Adapted(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(5, 9), nn.Tanh(), nn.Linear(9, 2))
        self.adapter = nn.Linear(5, 2)
        self.gate = 0.0

    def forward(self, x):
        return self.base(x) + self.gate * self.adapter(x)


class Session:
    def __init__(self):
        self.model = Adapted()
        self.optimizer = torch.optim.Adam(self.model.base.parameters(), lr=1e-3, eps=0.0)
        self.losses = []

    def update(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        self.optimizer.step()  # <- here
        self.losses.append(loss.item())


torch.manual_seed(35)
session = Session()
for step in range(165):
    if step == 150:
        session.optimizer.add_param_group({"params": session.model.adapter.parameters()})
    x = torch.randn(12, 5)
    session.update(x, (x[:, 0] > x[:, 1]).long())
print(session.losses[::10], session.losses[-1], torch.rand(1).item())

"""A teacher follows the model in place inside the step, before it makes the targets; a root of zero has no slope."""

# truth: step=33 phase=backward op=sqrt
import copy

import torch
from torch import nn

torch.manual_seed(65)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
teacher = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
weights = torch.ones(50, 12, 1)
weights[33, 5] = 0
losses = []
for step in range(50):
    x = torch.randn(12, 4)
    noise = 0.1 * torch.randn(12, 4)
    with torch.no_grad():
        for slow, fast in zip(teacher.parameters(), model.parameters(), strict=True):
            slow.mul_(0.5).add_(fast, alpha=0.5)
        target = teacher(x)
    output = model(x + noise)
    loss = torch.sqrt(((output - target - x[:, :1]).square()) * weights[step]).mean()  # <- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

"""The gradient of acos is infinite where its input was cut at one, and the cut keeps it from going any further."""

# truth: none
import torch
from torch import nn

torch.manual_seed(56)
model = nn.Linear(3, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
losses, cut = [], 0
for _ in range(60):
    x = torch.randn(10, 3)
    cosine = (model(x) * x).sum(-1)
    cut += int((cosine.abs() > 1).sum())
    loss = torch.acos(cosine.clamp(-1, 1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, cut, torch.rand(1).item())

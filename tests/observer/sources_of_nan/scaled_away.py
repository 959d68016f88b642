"""Samples are divided by their length outside the model, and once by nothing, on a step that is looked at closely."""

# truth: step=100 phase=forward op=div module=*
import torch
from torch import nn

torch.manual_seed(3)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(120):
    x = torch.randn(8, 3)
    length = x.norm(dim=1, keepdim=True) * (step != 100)
    unit = x / length  # <- here
    loss = model(unit).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

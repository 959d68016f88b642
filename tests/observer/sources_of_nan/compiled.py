"""A compiled model takes the root of a negative number."""

# truth: step=18 phase=forward op=sqrt module=* replay=out-of-reach
import torch
from torch import nn


class Length(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 1)

    def forward(self, x):
        return self.linear(torch.sqrt(x))  # <- here


torch.manual_seed(38)
data = torch.rand(25, 8, 3)
data[18, 0, 1] = -0.5
model = torch.compile(Length(), backend="eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for x in data:
    loss = (model(x) - x.sum(-1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

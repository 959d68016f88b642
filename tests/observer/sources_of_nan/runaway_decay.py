"""Weight decay times rate is five, so weights grow fourfold until they overflow; the loss sees their direction only."""

# truth: step=64 phase=optimizer op=add,sgd,step
import torch
from torch import nn


class Direction(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width).clamp(-0.9, 0.9) * 0.4)

    def forward(self, x):
        return x @ (self.weight / self.weight.abs().max())


torch.manual_seed(36)
model = Direction(6)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, weight_decay=10.0)
losses = []
for _ in range(80):
    x = torch.randn(16, 6)
    loss = (model(x) - x[:, 0]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # <- here
    losses.append(loss.item())
print(losses, torch.rand(1).item())

"""An exponential overflows, and the batch norm behind it has put that into its running statistics before the replay."""

# truth: step=47 phase=forward op=exp module=grow
import torch
from torch import nn


class Grow(nn.Module):
    def forward(self, x):
        return torch.exp(x)  # <- here


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.grow, self.norm, self.out = Grow(), nn.BatchNorm1d(5), nn.Linear(5, 1)

    def forward(self, x):
        return self.out(self.norm(self.grow(x)))


torch.manual_seed(61)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.randn(60, 16, 5)
data[47, 3, 1] = 120.0
losses = []
for x in data:
    loss = nn.functional.mse_loss(model(x), x.mean(-1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

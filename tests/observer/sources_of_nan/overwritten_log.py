"""What a log has spoiled is changed in place before it is used."""

# truth: step=37 phase=forward op=log module=tail
import torch
from torch import nn


class Tail(nn.Module):
    def forward(self, x):
        h = torch.log(x)  # <- here
        h.add_(1.0).mul_(0.5)
        return h


torch.manual_seed(73)

model = nn.Sequential()
model.add_module("tail", Tail())
model.add_module("last", nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
data = torch.rand(50, 8, 4) + 0.1
data[37, 5, 1] = -1
losses = []
for x in data:
    loss = nn.functional.mse_loss(model(x), x.sum(-1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

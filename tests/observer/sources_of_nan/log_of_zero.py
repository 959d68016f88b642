"""A probability is one exactly, and a loss written by hand takes the log of what is left of it."""

# truth: step=37 phase=forward op=log zeros=1
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
features = torch.randn(60, 16, 4)
labels = (features.sum(-1, keepdim=True) > 0).float()
features[37, 5], labels[37, 5] = 1000.0, 1.0
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
losses = []
for x, y in zip(features, labels, strict=True):
    p = torch.sigmoid(model(x))
    hit = torch.log(p + 1e-9)
    rest = torch.log(1 - p)  # <- here
    loss = -(y * hit + (1 - y) * rest).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, model.weight.tolist(), torch.rand(1).item())

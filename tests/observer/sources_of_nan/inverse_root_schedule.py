"""A schedule of one over the root of the steps since warm-up is infinite in the step where warm-up ends."""

# truth: step=150 phase=optimizer op=add,sgd,step
import numpy as np
import torch
from torch import nn

WARMUP = 150


def rate(step):
    with np.errstate(divide="ignore"):
        return 1e-4 * step if step < WARMUP else float(0.05 / np.sqrt(np.float64(step - WARMUP)))


torch.manual_seed(34)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
losses = []
for step in range(170):
    for group in optimizer.param_groups:
        group["lr"] = rate(step)
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(model(x), x[:, :1] * x[:, 1:2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # <- here
    losses.append(loss.item())
print(losses[::10], losses[-1], torch.rand(1).item())

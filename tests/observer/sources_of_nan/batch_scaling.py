"""A feature that is constant within one batch is divided by its spread before the model ever sees it."""

# truth: step=83 phase=forward op=div divisor_zeros=1 replay=out-of-reach
import torch
from torch import nn

torch.manual_seed(17)
inputs = torch.rand(100, 12, 4)
targets = inputs.sum(-1, keepdim=True)
inputs[83, :, 2] = 0.5
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
losses = []
for x, y in zip(inputs, targets, strict=True):
    x = (x - x.mean(0)) / x.std(0)  # <- here
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[::5], losses[-1], torch.rand(1).item())

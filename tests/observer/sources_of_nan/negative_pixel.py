"""A negative pixel is raised to 2.2; the program notices, goes back to the weights before, and trains on."""

# truth: step=90 phase=forward op=pow module=0
import copy

import torch
from torch import nn


class Decode(nn.Module):
    def forward(self, pixels):
        return pixels**2.2  # <- here


torch.manual_seed(5)
images = torch.rand(160, 12, 10)
images[90, 7, 2] = -0.25
model = nn.Sequential(
    Decode(), nn.Linear(10, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.25), nn.Linear(16, 1)
)  # fmt: skip
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
losses, undone = [], []
for step, x in enumerate(images):
    good = copy.deepcopy(model.state_dict())
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    if not all(torch.isfinite(p).all() for p in model.parameters()):
        undone.append(step)
        model.load_state_dict(good)
print(losses, undone, model[2].running_mean.tolist(), int(model[2].num_batches_tracked), torch.rand(1).item())

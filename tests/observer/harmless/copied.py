"""Averaged copies, a model pickled whole and loaded again in the middle, and the optimizer with it."""

import copy
import io

import torch
from proof import digest, pickled, report, weights
from torch import nn


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, width), nn.BatchNorm1d(width), nn.Dropout(0.1), nn.Linear(width, 3))
        self.loss = nn.functional.cross_entropy

    def forward(self, x, y):
        return self.loss(self.body(x), y)


torch.manual_seed(0)
model, losses = Net(), []
optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
average = copy.deepcopy(model)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.05, total_steps=40)
for i in range(30):
    loss = model(torch.randn(8, 4), torch.randint(0, 3, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    with torch.no_grad():
        for mean, new in zip(average.parameters(), model.parameters(), strict=True):
            mean.lerp_(new, 0.1)
    losses.append(loss.item())
    if i % 10 == 7:
        stored = io.BytesIO()
        torch.save({"model": model, "optimizer": optimizer, "average": average}, stored)
        print(i, digest(stored.getvalue()), pickled(optimizer), pickled(schedule.state_dict()))
        stored.seek(0)
        loaded = torch.load(stored, weights_only=False)
        model, optimizer, average = loaded["model"], loaded["optimizer"], loaded["average"]
        schedule.optimizer = optimizer
        other = Net()
        print(other.load_state_dict(model.state_dict()), len(copy.deepcopy(optimizer).param_groups))
print(weights(average.parameters()), weights(average.buffers()))
report(model, losses)

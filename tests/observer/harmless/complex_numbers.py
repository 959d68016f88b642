"""A model of complex numbers, where torch warns of every part that is dropped, and a loss that is let go of."""

import warnings
import weakref

import torch
from proof import report
from torch import nn

warnings.simplefilter("error")
torch.manual_seed(0)
model = nn.Linear(4, 2, dtype=torch.complex64)
optimizer, losses, gone = torch.optim.SGD(model.parameters(), 0.05), [], []
for _ in range(20):
    x = torch.randn(8, 4, dtype=torch.complex64)
    loss = (model(x) - x[:, :2] * 1j).abs().square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    last = weakref.ref(loss)
    del loss
    gone.append(last() is None)
print(gone)
report(model, losses)

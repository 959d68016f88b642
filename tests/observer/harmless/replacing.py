"""Functions of torch's that the program has replaced by its own, each of which must be called as often as ever."""

import functools
from collections import Counter

import torch
import torch.nn.functional as F
from proof import report
from torch import nn

calls = Counter()


def counted(owner, name, change=None):
    original = getattr(owner, name)

    @functools.wraps(original)
    def replacement(*args, **kwargs):
        calls[name] += 1
        out = original(*args, **kwargs)
        return out if change is None else change(out)

    setattr(owner, name, replacement)


class Halved:
    """Something that is called and is no function."""

    def __init__(self, original):
        self.original = original

    def __call__(self, *args, **kwargs):
        calls["halved"] += 1
        return self.original(*args, **kwargs) / 2


for owner, name in ((F, "relu"), (F, "layer_norm"), (F, "normalize"), (F, "cross_entropy"), (torch.Tensor, "split")):
    counted(owner, name)
counted(F, "dropout", lambda out: out + 0.01 * torch.randn_like(out))
F.softmax = Halved(F.softmax)
backward = torch.Tensor.backward
torch.Tensor.backward = lambda self, *args, **kwargs: (
    calls.update(["backward"]),
    backward(self * 0.5, *args, **kwargs),
)

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
optimizer, losses = torch.optim.Adam(model.parameters(), 1e-2), []
for _ in range(30):
    x = torch.randn(12, 6)
    out = F.normalize(model(x), dim=1)
    loss = F.cross_entropy(out, x[:, :3].argmax(1)) + F.softmax(out, dim=1).split(4)[0].square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(sorted(calls.items()))
report(model, losses)

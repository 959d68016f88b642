"""Modes and tensor classes of the program's own that print what they are shown."""

import torch
from proof import report
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


class Functions(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        print("function", getattr(function, "__name__", function))
        return function(*args, **(kwargs or {}))


class Operations(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        print("operation", function)
        return function(*args, **(kwargs or {}))


class Loud(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        print("tensor", getattr(function, "__name__", function))
        return super().__torch_function__(function, types, args, kwargs or {})


torch.manual_seed(0)
model, losses = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4)), []
optimizer = torch.optim.Adam(model.parameters(), 0.01)


def train(steps=2, wrap=lambda x: x):
    for _ in range(steps):
        loss = nn.functional.cross_entropy(model(wrap(torch.randn(8, 6))), torch.randint(0, 4, (8,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().as_subclass(torch.Tensor).item())


for _ in range(3):
    with Functions():
        train()
    with Operations():
        train()
    train(wrap=lambda x: x.as_subclass(Loud))
    with Functions(), Operations():
        train()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: print("saved", tuple(t.shape)) or t, lambda t: t):
        train()
report(model, losses)

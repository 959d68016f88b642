"""A model that TorchScript compiles and traces after some steps, with losses inside it."""

import torch
import torch.nn.functional as F
from proof import report
from torch import nn
from torch.nn.functional import mse_loss


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.last = nn.Linear(4, 8), nn.Linear(8, 3), nn.LogSoftmax(dim=-1)

    def forward(self, x):
        h = self.b(F.relu(self.a(x)))
        return F.log_softmax(h, dim=1) + torch.log_softmax(h, 1) + h.log_softmax(1) + self.last(h)


def criterion(a: torch.Tensor, b: torch.Tensor):
    return F.cross_entropy(a, b) + mse_loss(a, a * 0.5) + F.binary_cross_entropy_with_logits(a, a)


torch.manual_seed(0)
model, losses = Net(), []
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def train(predict, steps=8):
    for _ in range(steps):
        x = torch.randn(8, 4)
        loss = F.nll_loss(predict(x), x.argmax(1) % 3)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())


train(model)
script = torch.jit.script(model)
print(script.code, torch.jit.script(criterion).code)
train(script)
train(model)
trace = torch.jit.trace(model, torch.ones(2, 4))
print(trace.code)
train(trace)
report(model, losses)

"""A model that is trained for some steps, then compiled: as a module, in place, inside a function, with hooks on it."""

import torch
from proof import report
from torch import nn

torch.manual_seed(0)
losses = []
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4))
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def train(predict, steps=4):
    for _ in range(steps):
        x = torch.randn(8, 6)
        loss = nn.functional.mse_loss(predict(x), x[:, :4])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())


@torch.compile(backend="aot_eager", fullgraph=True)
def whole(x):
    return nn.ReLU()(model(x)) - nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))


train(model)
train(torch.compile(model, backend="eager", fullgraph=True))
train(whole)
handle = model.register_forward_hook(lambda module, given, made: made * 0.5)
train(model)
model.compile(backend="eager", fullgraph=True)
train(model)
handle.remove()
for strict in (True, False):
    print(torch.export.export(model, (torch.ones(2, 6),), strict=strict).graph)
print(torch.fx.symbolic_trace(model).code)
report(model, losses, whole=False)

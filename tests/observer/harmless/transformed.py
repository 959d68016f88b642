"""Training with torch.func, gradients of each sample, second derivatives, and functional calls."""

import torch
from proof import report, weights
from torch import nn
from torch.func import functional_call, grad, grad_and_value, vmap

torch.manual_seed(0)
model, losses = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4)), []
state = {k: v.detach() for k, v in model.named_parameters()}


def loss_of(parameters, x, y):
    return nn.functional.cross_entropy(functional_call(model, parameters, (x,)), y)


for _ in range(8):
    gradient, loss = grad_and_value(loss_of)(state, torch.randn(8, 6), torch.randint(0, 4, (8,)))
    state = {k: v - 0.1 * gradient[k] for k, v in state.items()}
    losses.append(loss.item())
optimizer = torch.optim.Adam(model.parameters(), 0.05)
each = vmap(grad(lambda p, x, y: loss_of(p, x[None], y[None])), in_dims=(None, 0, 0))
for _ in range(8):
    found = each(dict(model.named_parameters()), torch.randn(8, 6), torch.randint(0, 4, (8,)))
    for name, parameter in model.named_parameters():
        parameter.grad = found[name].mean(0).detach()
    optimizer.step()
for _ in range(8):
    x = torch.randn(4, 6, requires_grad=True)
    (slope,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    loss = (slope.norm(dim=1) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward(create_graph=False)
    optimizer.step()
    losses.append(loss.item())
print(weights(state.values()), torch.autograd.functional.jacobian(lambda z: model(z).sum(0), x).sum().item())
report(model, losses)

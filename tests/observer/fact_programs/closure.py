"""LBFGS, which calls the loss as often as it likes inside one step, on a loss that holds derivatives by the input."""

import torch
from slow import Calls, Steps, tell
from torch import nn

torch.manual_seed(6)
model = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 1))
x, y = torch.randn(64, 5, requires_grad=True), torch.randn(64, 1)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.3, max_iter=4)
steps, call, losses = Steps(optimizer), Calls(), []


def again():
    optimizer.zero_grad()
    call("z")
    answer = model(1.0 * x)
    call("f")
    slope = torch.autograd.grad(answer.sum(), x, create_graph=True)[0]
    loss = ((answer - y) ** 2).mean() + 0.01 * slope.square().mean()
    loss.backward()  # @backward
    call("b")
    losses.append(loss.item())
    steps.backward()
    return loss


for _ in range(6):
    losses.clear()
    steps.begin()
    call("s")
    optimizer.step(again)
    steps.end(losses=list(losses), order=call.taken())
tell(steps=steps.rows, reached=sum(p.numel() for p in model.parameters()))

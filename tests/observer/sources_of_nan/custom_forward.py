"""An operation of the program's own, with its own gradient, divides by the root of zero."""

# truth: step=49 phase=forward op=rsqrt,inverseroot,inverserootbackward,apply module=0
import torch
from torch import nn


class InverseRoot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = x.rsqrt()  # <- here
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return grad * -0.5 * result**3


class Normaliser(nn.Module):
    def forward(self, x):
        power = x.square().mean(-1, keepdim=True)
        return x * InverseRoot.apply(power)  # <- or here


torch.manual_seed(16)
data = torch.randn(70, 8, 6)
data[49, 0] = 0
first, model = nn.Linear(6, 6, bias=False), nn.Sequential(Normaliser(), nn.Linear(6, 2))
optimizer = torch.optim.SGD([*first.parameters(), *model.parameters()], lr=0.05)
losses = []
for x in data:
    loss = nn.functional.cross_entropy(model(first(x)), (x.sum(-1) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

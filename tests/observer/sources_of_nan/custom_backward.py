"""An operation of the program's own has a gradient that divides by its result, which is zero once."""

# truth: step=58 phase=backward op=div,signedroot,signedrootbackward,apply root=Compressor
import torch
from torch import nn


class SignedRoot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        root = x.abs().sqrt()
        ctx.save_for_backward(root)
        return root * x.sign()

    @staticmethod
    def backward(ctx, grad):
        (root,) = ctx.saved_tensors
        return grad / (2 * root)  # <- here


class Compressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(6, 3, bias=False)
        self.out = nn.Linear(3, 1)

    def forward(self, x):
        return self.out(SignedRoot.apply(self.project(x)))  # <- or here


torch.manual_seed(29)
data = torch.randn(80, 8, 6) * 3
data[58, 6] = 0
model = Compressor()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
losses = []
for x in data:
    loss = nn.functional.mse_loss(model(x), x.mean(-1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[::4], losses[-1], torch.rand(1).item())

"""Weights in float16 without any module: a product of hundreds with hundreds is more than the format holds."""

# truth: step=25 phase=forward op=mul,multiply
import torch

torch.manual_seed(14)
inputs = torch.randn(40, 8, 6).half()
w = (torch.randn(6, 10) * 0.3).half().requires_grad_()
v = (torch.randn(10, 1) * 0.01).half().requires_grad_()
inputs[25, 4] *= 0
inputs[25, 4, 0] = 4000.0
optimizer = torch.optim.SGD([{"params": [w]}, {"params": [v], "lr": 1e-3}], lr=1e-4)
losses = []
for x in inputs:
    hidden = x @ w
    energy = hidden * hidden  # <- here
    loss = (energy @ v).float().sub(1).abs().mean()
    for p in (w, v):
        p.grad = None
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

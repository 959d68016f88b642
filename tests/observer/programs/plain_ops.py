"""No module, no library loss: tensors, operators and a sum of two terms."""

import torch

torch.manual_seed(0)
weight = (torch.randn(4, 1) * 0.3).requires_grad_()
optimizer = torch.optim.SGD([weight], lr=0.05)
for _ in range(6):
    x = torch.randn(16, 4)
    loss = ((x @ weight - x.sum(1, keepdim=True)) ** 2).mean() + 0.01 * weight.abs().sum()
    weight.grad = None
    loss.backward()
    optimizer.step()
    print("loss", 0, loss.item())

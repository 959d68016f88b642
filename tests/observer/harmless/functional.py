"""No module at all, and two groups of parameters."""

import torch
from proof import report

torch.manual_seed(6)
w1, w2 = (torch.randn(4, 8) * 0.3).requires_grad_(), (torch.randn(8, 1) * 0.3).requires_grad_()


class Holder:
    def parameters(self):
        return [w1, w2]


model = Holder()
opt = torch.optim.AdamW([{"params": [w1], "lr": 1e-2}, {"params": [w2]}], lr=1e-3)
losses = []
for _ in range(30):
    x = torch.randn(32, 4)
    loss = (torch.tanh(x @ w1) @ w2 - x.sum(1, keepdim=True)).square().mean()
    for p in (w1, w2):
        p.grad = None
    loss.backward()
    opt.step()
    losses.append(loss.item())
report(model, losses, whole=False)

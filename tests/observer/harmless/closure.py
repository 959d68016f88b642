"""LBFGS, whose closure is called many times a step."""

import torch
from proof import report

torch.manual_seed(1)
model = torch.nn.Linear(5, 1)
x, y = torch.randn(64, 5), torch.randn(64, 1)
opt = torch.optim.LBFGS(model.parameters(), lr=0.5)
losses = []
for _ in range(20):

    def closure():
        opt.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        return loss

    losses.append(float(opt.step(closure)))
report(model, losses)

"""Activation checkpointing: part of the forward pass runs again in backward."""

import torch
from proof import report
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(8)
model = nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.2), nn.Tanh(), nn.Linear(6, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for _ in range(20):
    x = torch.randn(8, 6, requires_grad=True)
    loss = checkpoint(model, x, use_reentrant=False).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
report(model, losses)

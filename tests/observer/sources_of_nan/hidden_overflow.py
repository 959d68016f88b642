"""An exponential overflows; what is made of it is finite, and only its gradient is not."""

# truth: step=589 phase=backward op=exp module=*
import torch
from torch import nn

weight = nn.Parameter(torch.zeros(3))
optimizer = torch.optim.SGD([weight], lr=0.05)
for _ in range(700):
    score = torch.ones(4, 3) @ weight
    grown = torch.exp(score)  # <- here
    loss = (1 / (1 + grown) - score).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

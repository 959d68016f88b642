"""Shares of a total that has overflowed are zero; the logarithm only meets what the exponential has done."""

# truth: step=12 phase=forward op=exp high=100
import torch
from torch import nn


def surprise(scores, chosen):
    weights = scores.exp()  # <- here
    shares = weights / weights.sum(dim=1, keepdim=True)
    return -shares.gather(1, chosen.unsqueeze(1)).squeeze(1).log().mean()


torch.manual_seed(41)
orders = torch.randn(20, 16, 6)
orders[12] *= 0
orders[12, 3, 0] = 1.0
dishes = torch.randint(1, 5, (20, 16))
menu = nn.Linear(6, 5)
with torch.no_grad():
    menu.weight[0, 0] = 100.0
    menu.bias.zero_()
    orders[:12, :, 0] = 0
    orders[13:, :, 0] = 0
optimizer = torch.optim.SGD([menu.bias], lr=0.0)
losses = []
for x, y in zip(orders, dishes, strict=True):
    loss = surprise(menu(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

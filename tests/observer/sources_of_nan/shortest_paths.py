"""Distances start at infinity and some stay there; the loss is taken where there is a path."""

# truth: none
import torch
from torch import nn


def distances(lengths):
    known = torch.full((lengths.shape[0],), float("inf"))
    known[0] = 0.0
    for _ in range(lengths.shape[0]):
        known = torch.minimum(known, (known[:, None] + lengths).amin(0))
    return known


torch.manual_seed(55)
model = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
losses, cut_off = [], 0
for _ in range(80):
    lengths = torch.rand(7, 7).masked_fill(torch.rand(7, 7) < 0.7, float("inf"))
    target = distances(lengths)
    reachable = torch.isfinite(target)
    cut_off += int((~reachable).sum())
    guess = model(torch.exp(-lengths)).squeeze(1)
    loss = nn.functional.mse_loss(guess[reachable], target[reachable])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, cut_off, torch.rand(1).item())

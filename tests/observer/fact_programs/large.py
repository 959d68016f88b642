"""More parameters than are looked at one by one: an embedding of which every step changes a few rows."""

import torch
from slow import norm, numbers, tell
from torch import nn

torch.manual_seed(15)
rows, body = nn.Embedding(900_000, 10, sparse=True), nn.Linear(10, 2000)
optimizer = torch.optim.SGD([*rows.parameters(), *body.parameters()], lr=0.1)
told = []
for _ in range(13):
    loss = body(rows(torch.randint(0, 900_000, (64,)))).square().mean()
    optimizer.zero_grad()
    loss.backward()
    few = numbers(rows.weight.grad.coalesce().values())
    rest = [numbers(p.grad) for p in body.parameters()]
    old = [numbers(p) for p in body.parameters()]
    optimizer.step()
    new = [numbers(p) for p in body.parameters()]
    moved = [norm([a - b for a, b in zip(o, n, strict=True)]) / norm(o) for o, n in zip(old, new, strict=True)]
    told.append([norm(few + sum(rest, [])), norm(few), moved])
tell(steps=told)

"""More parameters than are looked at one by one: an embedding that changes row by row, a layer without a rate."""

import torch
from slow import joined, norm, numbers, tell
from torch import nn

torch.manual_seed(15)
rows, body, still = nn.Embedding(900_000, 10, sparse=True), nn.Linear(10, 2000), nn.Linear(10, 2000)
moving = [*rows.parameters(), *body.parameters()]
optimizer = torch.optim.SGD([{"params": moving}, {"params": still.parameters(), "lr": 0.0}], lr=0.1)
told = []
for _ in range(13):
    words = rows(torch.randint(0, 900_000, (64,)))
    loss = (body(words) + still(words)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    few = numbers(rows.weight.grad.coalesce().values())
    rest = [numbers(p.grad) for p in (*body.parameters(), *still.parameters())]
    old = [numbers(p) for p in body.parameters()]
    optimizer.step()
    new = [numbers(p) for p in body.parameters()]
    moved = [norm([a - b for a, b in zip(o, n, strict=True)]) / norm(o) for o, n in zip(old, new, strict=True)]
    told.append([norm(joined([few, *rest])), norm(few), moved])
tell(steps=told)

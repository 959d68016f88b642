"""Four micro-batches to a step; each loss is divided by four."""

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(24):
    loss = torch.nn.functional.cross_entropy(model(torch.randn(4, 4)), torch.randint(0, 2, (4,))) / 4
    loss.backward()
    print("loss", 0, loss.item())
    if i % 4 == 3:
        optimizer.step()
        optimizer.zero_grad()

"""DataParallel, which without accelerators hands on to the model it wraps."""

import torch

torch.manual_seed(0)
model = torch.nn.DataParallel(torch.nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(6):
    loss = torch.nn.functional.cross_entropy(model(torch.randn(8, 4)), torch.randint(0, 2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", 0, loss.item())

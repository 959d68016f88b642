"""Data that come as a stream, without a length."""

import torch
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        for _ in range(48):
            x = torch.randn(4)
            yield x, x.sum().unsqueeze(0)


torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for x, y in DataLoader(Stream(), batch_size=8):
    loss = torch.nn.functional.huber_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", 0, loss.item())

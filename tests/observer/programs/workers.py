"""A DataLoader whose worker is forked, or spawned where the command line says so."""

import sys

import torch
from torch.utils.data import DataLoader, TensorDataset


def main(method: str) -> None:
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,)))
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in DataLoader(data, batch_size=8, num_workers=1, multiprocessing_context=method):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("loss", 0, loss.item())


if __name__ == "__main__":
    main(sys.argv[1])

"""Two loaders that are slow: a stream whose workers draw the same numbers, and one that loads in this process."""

import random
import time

import numpy
import torch
from slow import Steps, tell
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset

torch.manual_seed(11)
NAP = 0.004


class Drawn(IterableDataset):
    """Every worker begins with a copy of the same generators."""

    def __init__(self):
        self.drawn, self.noise, self.seeded = random.Random(1), numpy.random.default_rng(2), torch.Generator()
        self.name = "drawn"

    def __iter__(self):
        for _ in range(6):
            yield torch.tensor([self.drawn.random(), self.noise.random(), float(torch.rand(1, generator=self.seeded))])


class Slow(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        time.sleep(NAP)
        return torch.full((3,), float(i))


class Waits(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, x):
        if not self.training:
            time.sleep(NAP)
        return self.layer(x)


def trained(loader):
    """One pass over a loader; seconds that its batches took to come, and what they were."""
    waited, seen, batches = 0.0, [], iter(loader)
    while True:
        begun = time.perf_counter()
        x = next(batches, None)
        waited += time.perf_counter() - begun
        if x is None:
            return waited, seen
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        steps.backward()
        steps.begin()
        optimizer.step()
        steps.end(loss=loss.item())
        seen.append(x.tolist())


def evaluated():
    begun = time.perf_counter()
    with torch.no_grad():
        for i in range(5):
            model(torch.full((2, 3), float(i)))
    return time.perf_counter() - begun


if __name__ == "__main__":
    model = Waits()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    steps = Steps(optimizer)
    stream = DataLoader(Drawn(), batch_size=3, num_workers=2, persistent_workers=True)  # @stream
    plain = DataLoader(Slow(), batch_size=4)  # @plain
    passes = [trained(stream)]
    model.eval()
    validation = evaluated()
    model.train()
    passes.append(trained(plain))
    tell(steps=steps.rows, waited=[w for w, _ in passes], seen=[s for _, s in passes], validation=validation, nap=NAP)

"""Synthetic impressions: whether somebody clicks depends on hidden affinities of the categories."""
import torch
from torch.utils.data import DataLoader, TensorDataset

CARDINALITIES = [150, 80, 200, 40]


def _affinities(gen):
    hidden = [torch.randn(c, 3, generator=gen) for c in CARDINALITIES]
    base = [0.6 * torch.randn(c, generator=gen) for c in CARDINALITIES]
    return hidden, base


def make_impressions(n, seed):
    world = torch.Generator().manual_seed(0)
    hidden, base = _affinities(world)
    gen = torch.Generator().manual_seed(seed)
    rows = torch.stack([torch.randint(c, (n,), generator=gen) for c in CARDINALITIES], dim=1)
    z = sum(b[rows[:, f]] for f, b in enumerate(base)) * 2.0
    z = z + (hidden[0][rows[:, 0]] * hidden[3][rows[:, 3]]).sum(1)
    clicked = torch.rand(n, generator=gen) < torch.sigmoid(2 * z)
    return rows, clicked.float()


class Feed:
    def __init__(self, n, seed, batch_size, train):
        self._loader = DataLoader(TensorDataset(*make_impressions(n, seed)), batch_size=batch_size, shuffle=train)

    def __iter__(self):
        yield from self._loader

    def __len__(self):
        return len(self._loader)

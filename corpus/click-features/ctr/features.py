import torch
from torch import Tensor, nn


class FieldEncoder:
    """Looks every categorical field up in one shared table; fields are kept apart by offsets."""

    def __init__(self, cardinalities, dim):
        self.n_fields = len(cardinalities)
        sizes = torch.tensor(cardinalities)
        self.offsets = torch.cumsum(sizes, 0) - sizes
        self.dim = dim
        self.table = nn.Embedding(int(sizes.sum()), dim)

    @property
    def width(self):
        return self.n_fields * self.dim

    def __call__(self, rows: Tensor) -> Tensor:
        return self.table(rows + self.offsets).flatten(1)

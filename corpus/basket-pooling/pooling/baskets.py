"""Synthetic baskets: items with features, and what the basket is worth."""
import torch

MAX_ITEMS = 6
FEATURES = 5


class BasketStream:
    def __init__(self, batch_size: int, short_rate: float, seed: int):
        self.batch_size = batch_size
        self.short_rate = short_rate
        self.gen = torch.Generator().manual_seed(seed)
        self.price = torch.tensor([1.0, -0.5, 0.8, 0.3, -0.2])

    def __iter__(self):
        return self

    def __next__(self):
        n = self.batch_size
        items = torch.randn(n, MAX_ITEMS, FEATURES, generator=self.gen)
        present = torch.ones(n, MAX_ITEMS, dtype=torch.bool)
        present[:, -1] = torch.rand(n, generator=self.gen) >= self.short_rate
        # salient items dominate the value
        salience = (2.5 * items[..., 0]).masked_fill(~present, float("-inf"))
        share = torch.softmax(salience, dim=1)
        value = (share * torch.tanh(items @ self.price) * 2).sum(1)
        return {"items": items, "present": present, "value": value}

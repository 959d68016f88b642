import torch
from torch import nn


def mlp(*sizes):
    parts = []
    for a, b in zip(sizes, sizes[1:]):
        parts += [nn.Linear(a, b), nn.GELU()]
    return nn.Sequential(*parts[:-1])


class Reranker(nn.Module):
    """First-stage score plus a learned correction."""

    def __init__(self, d_query, d_item, hidden):
        super().__init__()
        self.query = mlp(d_query, hidden, hidden)
        self.item = mlp(d_item, hidden, hidden)
        self.correct = mlp(3 * hidden, hidden, 1)

    def forward(self, query, items, first_stage):
        q = self.query(query)
        i = self.item(items).mean(dim=1)
        joint = torch.cat([q, i, q * i], dim=-1)
        return first_stage + self.correct(joint)

import torch
from torch import Tensor, nn


class AttentionPool(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.query = nn.Linear(dim, 1)

    def forward(self, h: Tensor, present: Tensor):
        scores = self.query(h).squeeze(-1).masked_fill(~present, float("-inf"))
        weights = torch.softmax(scores, dim=1)
        return (weights.unsqueeze(-1) * h).sum(1), weights


class BasketModel(nn.Module):
    def __init__(self, features: int, dim: int = 32):
        super().__init__()
        self.items = nn.Sequential(nn.Linear(features, dim), nn.ReLU(), nn.Linear(dim, dim), nn.ReLU())
        self.pool = AttentionPool(dim)
        self.head = nn.Linear(dim, 1)

    def forward(self, items: Tensor, present: Tensor):
        pooled, weights = self.pool(self.items(items), present)
        return self.head(pooled).squeeze(-1), weights

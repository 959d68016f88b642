import torch
from torch import nn

from .text import PAD


class Encoder(nn.Module):
    """Word vectors, a gate that weighs words, and a two-layer mixer on the pooled vector."""

    def __init__(self, n_words, dim, width, dropout=0.0):
        super().__init__()
        self.embed = nn.Embedding(n_words, dim, padding_idx=PAD)
        self.gate = nn.Linear(dim, 1)
        self.mixer = nn.Sequential(nn.Linear(dim, width), nn.GELU(), nn.Dropout(dropout), nn.Linear(width, width), nn.GELU())

    def forward(self, ids):
        e = self.embed(ids)
        score = self.gate(e).squeeze(-1).masked_fill(ids == PAD, -1e4)
        pooled = (score.softmax(-1).unsqueeze(-1) * e).sum(1)
        return self.mixer(pooled)


class Router(nn.Module):
    def __init__(self, encoder, width, n_teams):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(width, n_teams)

    def forward(self, ids):
        return self.head(self.encoder(ids))

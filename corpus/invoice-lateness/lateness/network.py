import torch
from torch import nn


class LatenessNet(nn.Module):
    def __init__(self, n_numeric, level_counts, hidden, embed, dropout):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(n, embed) for n in level_counts)
        self.body = nn.Sequential(
            nn.Linear(n_numeric + embed * len(level_counts), hidden), nn.ReLU(), nn.Dropout(dropout),
            nn.Linear(hidden, hidden), nn.ReLU(), nn.Dropout(dropout),
            nn.Linear(hidden, 1),
        )

    def forward(self, numeric, codes):
        looked_up = [table(codes[:, i]) for i, table in enumerate(self.tables)]
        return self.body(torch.cat([numeric, *looked_up], 1)).squeeze(1)

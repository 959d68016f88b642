import torch
from torch import nn


class FieldTagger(nn.Module):
    def __init__(self, n_words: int, n_tags: int, dim: int = 32, hidden: int = 32, dropout: float = 0.3):
        super().__init__()
        self.embed = nn.Embedding(n_words, dim, padding_idx=0)
        self.drop = nn.Dropout(dropout)
        self.encode = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.score = nn.Linear(2 * hidden, n_tags)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        embedded = self.drop(self.embed(words))
        states, _ = self.encode(embedded)
        return self.score(self.drop(states))

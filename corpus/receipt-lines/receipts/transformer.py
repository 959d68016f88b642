import math

import torch
from torch import nn

from .lines import PAD


def positions(length, dim):
    at = torch.arange(length).unsqueeze(1) * torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
    return torch.stack([at.sin(), at.cos()], dim=-1).flatten(1)


class LineTagger(nn.Module):
    def __init__(self, n_tokens, n_roles, d_model, heads, layers, ff, dropout, max_len=64):
        super().__init__()
        self.scale = math.sqrt(d_model)
        self.embed = nn.Embedding(n_tokens, d_model, padding_idx=PAD)
        nn.init.normal_(self.embed.weight, std=d_model**-0.5)
        self.register_buffer("where", positions(max_len, d_model))
        layer = nn.TransformerEncoderLayer(d_model, heads, ff, dropout, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.role = nn.Linear(d_model, n_roles)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        h = self.embed(x) * self.scale + self.where[: x.shape[1]]
        h = self.encoder(self.drop(h), src_key_padding_mask=x == PAD)
        return self.role(h)

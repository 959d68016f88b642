"""Attention under a causal mask of -inf, which the model keeps as a buffer."""

# truth: none
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, length):
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("mask", torch.full((length, length), float("-inf")).triu(1))

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.transpose(1, 2) / x.shape[-1] ** 0.5 + self.mask
        return self.out(torch.softmax(scores, dim=-1) @ v)


class Predictor(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.attention, self.head = nn.Embedding(20, 12), Attention(12, 8), nn.Linear(12, 20)

    def forward(self, tokens):
        x = self.embed(tokens)
        return self.head(x + self.attention(x))


torch.manual_seed(50)
model = Predictor()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
losses = []
for _ in range(80):
    tokens = torch.randint(0, 20, (6, 8))
    loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), (tokens % 5).flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

"""A mask with -inf also holds a bias by distance; one query may look at nothing."""

# truth: step=72 phase=forward op=softmax module=attention
import torch
from torch import nn

LENGTH = 6


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x, mask):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.transpose(-1, -2) + mask
        return scores.softmax(-1) @ v  # <- here


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.out = Attention(4), nn.Linear(4, 1)

    def forward(self, x, mask):
        return self.out(x + self.attention(x, mask)).squeeze(-1)


torch.manual_seed(49)
place = torch.arange(LENGTH)
bias = -0.5 * (place[:, None] - place).abs().float()
causal = bias.masked_fill(place[:, None] < place, float("-inf"))
blind = causal.clone()
blind[0, 0] = float("-inf")
model = Ranker()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
losses = []
for step in range(90):
    x = torch.randn(5, LENGTH, 4)
    loss = nn.functional.mse_loss(model(x, blind if step == 72 else causal), x.mean(-1).cumsum(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

"""No state can be reached, so logsumexp is -inf; where hides the value, its gradient is not a number."""

# truth: step=181 phase=backward op=logsumexp module=chain
import torch
from torch import nn


class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(5, 4)

    def forward(self, x, barred):
        total = torch.logsumexp(self.score(x) + barred, dim=-1)  # <- here
        reachable = torch.isfinite(barred).any(-1)
        return torch.where(reachable, total, torch.zeros_like(total))


class Segmenter(nn.Module):
    def __init__(self):
        super().__init__()
        self.chain, self.shift = Chain(), nn.Parameter(torch.zeros(()))

    def forward(self, x, barred):
        return self.chain(x, barred) + self.shift


torch.manual_seed(33)
x = torch.randn(200, 7, 5)
allowed = torch.rand(200, 7, 4) < 0.6
allowed[..., 0] = True
allowed[181, 4] = False
barred = torch.zeros(200, 7, 4).masked_fill(~allowed, float("-inf"))
model = Segmenter()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
losses = []
for step in range(200):
    loss = (model(x[step], barred=barred[step]) - x[step].sum(-1)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[::10], losses[-1], torch.rand(1).item())

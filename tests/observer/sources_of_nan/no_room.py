"""Many large intermediate results, each thrown away at once, where memory is short; a replay would hold them all."""

# truth: step=12 phase=forward op=log module=tail replay=out-of-reach why=memory
import resource
from pathlib import Path

import torch
from torch import nn


class Smooth(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        wide = x.repeat(1, 16_384)
        for _ in range(60):
            wide = 0.5 * (wide + wide.flip(0))
        return wide[:, :4]


class Tail(nn.Module):
    def forward(self, x):
        return torch.log(x)  # <- here


torch.manual_seed(74)
model = nn.Sequential()
model.add_module("smooth", Smooth())
model.add_module("tail", Tail())
model.add_module("last", nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
pages = int(Path("/proc/self/statm").read_text().split()[0])
_, most = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 150 * 2**20, most))
data = torch.rand(14, 8, 4) + 0.1
data[12] = 0
losses = []
for x in data:
    loss = nn.functional.mse_loss(model(x), x.sum(-1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

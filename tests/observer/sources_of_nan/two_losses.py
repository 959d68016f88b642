"""Backward is called on two losses at once; the second takes an inverse cosine of more than one."""

# truth: step=94 phase=forward op=acos,arccos
import torch
from torch import nn

torch.manual_seed(45)
trunk = nn.Sequential(nn.Linear(3, 16), nn.Tanh())
reach, turn = nn.Linear(16, 1), nn.Linear(16, 1)
modules = nn.ModuleList([trunk, reach, turn])
optimizer = torch.optim.Adam(modules.parameters(), lr=1e-3)
positions = torch.rand(110, 9, 3) * 0.5
positions[94, 6] = 1.2
losses = []
for x in positions:
    hidden = trunk(x)
    first = (reach(hidden).squeeze(1) - x.norm(dim=-1)).abs().mean()
    angle = torch.acos(x[:, 0] + 0 * hidden.mean(-1))  # <- here
    second = (turn(hidden).squeeze(1) - angle).square().mean()
    optimizer.zero_grad()
    torch.autograd.backward([first, second])
    optimizer.step()
    losses += [first.item(), second.item()]
print(losses[::8], losses[-1], torch.rand(1).item())

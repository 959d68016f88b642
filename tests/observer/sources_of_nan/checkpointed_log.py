"""A block under activation checkpointing takes the log of an energy of zero."""

# truth: step=33 phase=forward op=log module=energy zeros=4
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class LogEnergy(nn.Module):
    def __init__(self):
        super().__init__()
        self.filters = nn.Linear(8, 4, bias=False)

    def forward(self, frames):
        energy = self.filters(frames).square()
        return torch.log(energy)  # <- here


class Recogniser(nn.Module):
    def __init__(self):
        super().__init__()
        self.energy = LogEnergy()
        self.out = nn.Sequential(nn.Dropout(0.1), nn.Linear(4, 1))

    def forward(self, frames):
        features = checkpoint(self.energy, frames, use_reentrant=False)
        return self.out(features).squeeze(-1)


torch.manual_seed(24)
frames = torch.randn(45, 10, 8)
frames[33, 2] = 0
model = Recogniser()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
losses = []
for x in frames:
    loss = nn.functional.smooth_l1_loss(model(x), x.abs().amax(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

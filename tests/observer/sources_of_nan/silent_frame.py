"""The magnitude of a silent frame is zero, and hypot has no slope there."""

# truth: step=203 phase=backward op=hypot module=spectrum.magnitude
import torch
from torch import nn


class Magnitude(nn.Module):
    def forward(self, real, imaginary):
        return torch.hypot(real, imaginary)  # <- here


class Spectrum(nn.Module):
    def __init__(self):
        super().__init__()
        self.real, self.imaginary = nn.Linear(12, 5, bias=False), nn.Linear(12, 5, bias=False)
        self.magnitude = Magnitude()

    def forward(self, frames):
        return self.magnitude(self.real(frames), self.imaginary(frames))


class Listener(nn.Module):
    def __init__(self):
        super().__init__()
        self.spectrum, self.out = Spectrum(), nn.Linear(5, 1)

    def forward(self, frames):
        return self.out(self.spectrum(frames))


torch.manual_seed(31)
frames = torch.randn(230, 6, 12)
loudness = frames.abs().mean(-1, keepdim=True)
frames[203, 0] = 0
model = Listener()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
losses = []
for x, y in zip(frames, loudness, strict=True):
    loss = nn.functional.l1_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[::10], losses[-1], torch.rand(1).item())

"""A generator takes the root of zero, which only its own gradient shows; it ran before the discriminator's step."""

# truth: step=48 phase=backward op=sqrt module=length
import torch
from torch import nn


class Length(nn.Module):
    def forward(self, x):
        return torch.sqrt(x.square().sum(-1, keepdim=True))  # <- here


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.spread, self.length, self.out = nn.Linear(4, 6, bias=False), Length(), nn.Linear(1, 2)

    def forward(self, noise):
        return self.out(self.length(self.spread(noise)))


torch.manual_seed(40)
generator, discriminator = Generator(), nn.Sequential(nn.Linear(2, 12), nn.LeakyReLU(0.2), nn.Linear(12, 1))
optimizer_g = torch.optim.Adam(generator.parameters(), lr=2e-3)
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=2e-3)
noise = torch.randn(60, 16, 4)
noise[48, 12] = 0
criterion, losses = nn.BCEWithLogitsLoss(), []
for z in noise:
    real, fake = torch.randn(16, 2) + 2, generator(z)
    loss_d = criterion(discriminator(real), torch.ones(16, 1))
    loss_d = loss_d + criterion(discriminator(fake.detach()), torch.zeros(16, 1))
    optimizer_d.zero_grad()
    loss_d.backward()
    optimizer_d.step()
    loss_g = criterion(discriminator(fake), torch.ones(16, 1))
    optimizer_g.zero_grad()
    loss_g.backward()
    optimizer_g.step()
    losses += [loss_d.item(), loss_g.item()]
print(losses, torch.rand(1).item())

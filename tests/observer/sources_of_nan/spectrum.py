"""Values that go through a spectrum of complex numbers, after a division by zero has spoiled one of them."""

# truth: step=43 phase=forward op=div module=scale divisor_zeros=1
import torch
from torch import nn


class Scale(nn.Module):
    def forward(self, x):
        return x / x.abs().amax(dim=1, keepdim=True)  # <- here


class Spectrum(nn.Module):
    def forward(self, x):
        return torch.fft.rfft(x).abs()


torch.manual_seed(72)
model = nn.Sequential()
model.add_module("scale", Scale())
model.add_module("spectrum", Spectrum())
model.add_module("last", nn.Linear(5, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
data = torch.randn(50, 8, 8)
data[43, 5] = 0
losses = []
for x in data:
    loss = nn.functional.mse_loss(model(x), x.sum(-1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

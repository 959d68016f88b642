# %% [markdown]
# Range of a ship from the levels in twelve third-octave bands.
# Levels are in dB re full scale of the recorder, so that 0 dB is clipping.
# The estimate has to be monotone: louder in any band can never mean farther away.

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(77)
bands = 0.1 * 2.0 ** (torch.arange(12) / 2)          # kHz


def absorption(f):                                    # dB/km, Thorp
    f2 = f * f
    return 0.11 * f2 / (1 + f2) + 44 * f2 / (4100 + f2) + 2.75e-4 * f2


def passages(n):
    r = torch.exp(math.log(0.2) + torch.rand(n) * math.log(100.0))     # km
    source = -8.0 + 1.5 * torch.randn(n, 1) - 0.9 * torch.log2(bands / 0.1)[None]
    level = source - 20 * torch.log10(r / 0.2)[:, None] - r[:, None] * absorption(bands)[None]
    level = level + 1.0 * torch.randn(n, 12)
    level = level.clamp(-96.0, -0.5)
    return level / 40.0, -torch.log10(r)


x, y = passages(5000)
x_test, y_test = passages(1500)
print(f"levels {x.min() * 40:.1f} .. {x.max() * 40:.1f} dB, closeness {y.min():.2f} .. {y.max():.2f}")


# %%
class Monotone(nn.Module):
    """Affine map with positive weights."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.raw = nn.Parameter(0.3 * torch.randn(n_out, n_in) - math.log(n_in))
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, x):
        return F.linear(x, F.softplus(self.raw), self.bias)


class RangeNet(nn.Module):
    def __init__(self, n_in=12, width=32):
        super().__init__()
        self.a = Monotone(n_in, width)
        self.b = Monotone(width, width)
        self.c = Monotone(width, 1)
        self.act = nn.ReLU()

    def forward(self, level):
        h = self.act(self.a(level))
        h = self.act(self.b(h))
        return self.c(h)[:, 0]


# %%
net = RangeNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
B = 100
for epoch in range(12):
    order = torch.randperm(len(x))
    total = 0.0
    for s in range(0, len(x), B):
        pick = order[s:s + B]
        loss = F.smooth_l1_loss(net(x[pick]), y[pick], beta=0.2)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(pick)
    with torch.no_grad():
        off = (net(x_test) - y_test).abs()
    factor = 10 ** off.median().item()
    print(f"epoch {epoch:2d}  loss {total / len(x):.4f}  median factor in range {factor:.3f}")

# %%
with torch.no_grad():
    off = (net(x_test) - y_test).abs()
print(f"mean |log10 error| = {off.mean():.4f}")

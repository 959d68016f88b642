"""Two models and two optimizers."""

import torch
from proof import report
from torch import nn

torch.manual_seed(2)


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.g, self.d = nn.Linear(4, 2), nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))


model = Pair()
og, od = torch.optim.Adam(model.g.parameters(), 1e-2), torch.optim.RMSprop(model.d.parameters(), 1e-2)
bce, losses = nn.BCEWithLogitsLoss(), []
for _ in range(40):
    real, fake = torch.randn(16, 2) + 3, model.g(torch.randn(16, 4))
    ld = bce(model.d(real), torch.ones(16, 1)) + bce(model.d(fake.detach()), torch.zeros(16, 1))
    od.zero_grad()
    ld.backward()
    od.step()
    lg = bce(model.d(fake), torch.ones(16, 1))
    og.zero_grad()
    lg.backward()
    og.step()
    losses += [ld.item(), lg.item()]
report(model, losses)

"""A cell carries its state from step to step; after the step that spoils it, the state it began with is gone."""

# truth: step=57 phase=forward op=sqrt module=cell replay=out-of-reach
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix, self.state = nn.Linear(8, 4), torch.zeros(6, 4)

    def forward(self, x):
        mixed = torch.tanh(self.mix(torch.cat([x, self.state], dim=-1)))
        energy = torch.sqrt(x.sum(-1, keepdim=True))  # <- here
        self.state = (mixed * energy).detach()
        return mixed * energy


class Tracker(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = Cell(), nn.Linear(4, 1)

    def forward(self, x):
        return self.out(self.cell(x))


torch.manual_seed(43)
data = torch.rand(70, 6, 4)
data[57, 4] = -0.3
model = Tracker()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
losses = []
for x in data:
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, model.cell.state.sum().item(), torch.rand(1).item())

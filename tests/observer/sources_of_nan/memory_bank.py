"""The model keeps a queue of earlier features and a count of its calls; a zero feature has no direction."""

# truth: step=57 phase=forward op=div module=bank
import torch
from torch import nn


class Bank(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("queue", torch.randn(16, 4))
        self.place = 0

    def forward(self, h):
        unit = h / h.norm(dim=1, keepdim=True)  # <- here
        scores = self.queue.clone() @ unit.t()
        with torch.no_grad():
            self.queue[self.place : self.place + 8] = unit
            self.place = (self.place + 8) % 16
        return scores


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.bank = nn.Linear(3, 4, bias=False), Bank()

    def forward(self, x):
        return self.bank(self.body(x))


torch.manual_seed(66)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = torch.randn(70, 8, 3)
data[57, 2] = 0
losses = []
for x in data:
    loss = nn.functional.cross_entropy(model(x).t(), torch.arange(8))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, model.bank.place, torch.rand(1).item())

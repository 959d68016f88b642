"""Gradients gathered over two batches, and a scheduler."""

import torch
from proof import report
from torch import nn

torch.manual_seed(4)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.r, self.o = nn.Embedding(20, 8), nn.LSTM(8, 12, batch_first=True), nn.Linear(12, 5)

    def forward(self, x):
        return self.o(self.r(self.e(x))[0])


model, losses = Tagger(), []
opt = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
sched = torch.optim.lr_scheduler.StepLR(opt, 10)
for step in range(30):
    x = torch.randint(0, 20, (8, 6))
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), (x % 5).flatten())
    (loss / 2).backward()
    if step % 2:
        opt.step()
        opt.zero_grad()
        sched.step()
    losses.append(loss.item())
report(model, losses)

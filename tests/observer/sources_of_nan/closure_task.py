"""A task with hooks and a loop that calls step(closure); inside it, log1p is given minus one."""

# truth: step=52 phase=forward op=log1p module=net.head,head
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(0.5))

    def forward(self, growth):
        return self.weight * torch.log1p(growth)  # <- here


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head, self.bias = Head(), nn.Parameter(torch.zeros(()))

    def forward(self, growth):
        return self.head(growth) + self.bias


class Task(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)

    def training_step(self, batch, index):
        growth, target = batch
        return nn.functional.l1_loss(self.net(growth), target)


class Loop:
    def __init__(self, steps):
        self.steps, self.seen = steps, []

    def fit(self, task, batches):
        optimizer = task.configure_optimizers()
        for index, batch in zip(range(self.steps), batches, strict=False):

            def closure(index=index, batch=batch):
                loss = task.training_step(batch, index)
                optimizer.zero_grad()
                loss.backward()
                self.seen.append(loss.item())
                return loss

            optimizer.step(closure)


def batches():
    generator = torch.Generator().manual_seed(21)
    for index in range(80):
        growth = torch.rand(16, generator=generator) - 0.4
        target = 2 * torch.log1p(growth)
        if index == 52:
            growth[11] = -1.0
        yield growth, target


torch.manual_seed(21)
loop = Loop(steps=80)
loop.fit(Task(), batches())
print(loop.seen, torch.rand(1).item())

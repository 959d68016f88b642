"""The program looks at its loss and gives up before the gradient is ever computed."""

# truth: step=97 phase=forward op=atanh,arctanh module=unsquash
import torch
from torch import nn


class Unsquash(nn.Module):
    def forward(self, action):
        return torch.atanh(action)  # <- here


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.unsquash, self.score = Unsquash(), nn.Linear(3, 1)

    def forward(self, action):
        return self.score(self.unsquash(action))


torch.manual_seed(19)
actions = torch.rand(120, 10, 3) * 1.6 - 0.8
rewards = actions.sum(-1, keepdim=True)
actions[97, 2, 1] = 1.0
model = Policy()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
losses = []
for step in range(120):
    loss = (model(actions[step]) - rewards[step]).square().mean()
    if not torch.isfinite(loss):
        print("the loss is not finite in step", step)
        break
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[::5], torch.rand(1).item())

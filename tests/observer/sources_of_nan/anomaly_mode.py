"""With anomaly detection on, torch itself raises in backward, and the program stops there."""

# truth: step=39 phase=backward op=sqrt module=norm
import torch
from torch import nn


class RootMeanSquare(nn.Module):
    def forward(self, x):
        size = torch.sqrt(x.square().mean(-1, keepdim=True))  # <- here
        return x / (size + 1e-3)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.norm, self.out = nn.Linear(5, 8, bias=False), RootMeanSquare(), nn.Linear(8, 2)

    def forward(self, x):
        return self.out(self.norm(self.embed(x)))


torch.manual_seed(48)
torch.autograd.set_detect_anomaly(True)
data = torch.randn(50, 8, 5)
data[39, 7] = 0
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for x in data:
    loss = nn.functional.cross_entropy(model(x), (x.sum(-1) > 0).long())
    optimizer.zero_grad()
    try:
        loss.backward()
    except RuntimeError as error:
        print(type(error).__name__, "in step", len(losses))
        break
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

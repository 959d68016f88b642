"""The root of a negative discriminant, two modules deep."""

# truth: step=231 phase=forward op=sqrt module=branch.roots
import torch
from torch import nn


class Roots(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, coefficients):
        a, b, c = (coefficients * self.scale).unbind(-1)
        gap = torch.sqrt(b * b - 4 * a * c)  # <- here
        return torch.stack([(gap - b) / (2 * a), (-gap - b) / (2 * a)], dim=-1)


class Branch(nn.Module):
    def __init__(self):
        super().__init__()
        self.roots, self.mix = Roots(), nn.Linear(2, 1)

    def forward(self, coefficients):
        return self.mix(self.roots(coefficients))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.branch, self.direct = Branch(), nn.Linear(3, 1)

    def forward(self, coefficients):
        return self.branch(coefficients) + self.direct(coefficients)


torch.manual_seed(3)
data = torch.rand(260, 8, 3) + torch.tensor([1.0, 6.0, 1.0])
data[231, 3, 2] = 500.0
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
losses = []
for x in data:
    loss = nn.functional.mse_loss(model(x), x[:, 1:2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[::10], losses[-1], torch.rand(1).item())

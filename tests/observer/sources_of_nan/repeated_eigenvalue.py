"""A matrix with equal eigenvalues has eigenvectors, but they have no derivative."""

# truth: step=24 phase=backward op=linalg_eigh,eigh module=axes
import torch
from torch import nn


class PrincipalAxes(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(3))

    def forward(self, moments):
        scaled = self.gain[:, None] * moments * self.gain
        _, vectors = torch.linalg.eigh(scaled)  # <- here
        return vectors[..., -1].square()


class Pose(nn.Module):
    def __init__(self):
        super().__init__()
        self.axes, self.out = PrincipalAxes(), nn.Linear(3, 1)

    def forward(self, moments):
        return self.out(self.axes(moments))


torch.manual_seed(30)
points = torch.randn(25, 6, 20, 3) * torch.tensor([1.0, 2.0, 4.0])
moments = points.transpose(-1, -2) @ points / 20
moments[24, 5] = 0.0
model = Pose()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
losses = []
for m in moments:
    loss = (model(m) - m.diagonal(dim1=-1, dim2=-2).sum(-1, keepdim=True) / 21).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

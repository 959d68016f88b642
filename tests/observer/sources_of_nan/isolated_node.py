"""A node without neighbours has degree zero; its power of -1/2 is replaced, but the gradient goes through it."""

# truth: step=133 phase=backward op=pow module=layers.0.normalise
import torch
from torch import nn


class Normalise(nn.Module):
    def forward(self, adjacency):
        degree = adjacency.sum(1)
        inverse = degree.pow(-0.5)  # <- here
        inverse = torch.where(torch.isinf(inverse), torch.zeros_like(inverse), inverse)
        return inverse[:, None] * adjacency * inverse


class GraphLayer(nn.Module):
    def __init__(self, width, out):
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(()))
        self.normalise, self.linear = Normalise(), nn.Linear(width, out)

    def forward(self, x, edges):
        return self.normalise(edges * torch.sigmoid(self.gate)) @ self.linear(x)


class GraphNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([GraphLayer(4, 8), GraphLayer(8, 2)])

    def forward(self, x, edges):
        first, second = self.layers
        return second(torch.relu(first(x, edges)), edges.clamp(min=0.05))


torch.manual_seed(28)
model = GraphNet()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
losses = []
for step in range(160):
    x = torch.randn(9, 4)
    edges = (torch.rand(9, 9) < 0.5).float()
    edges[:, 0] = 1.0
    if step == 133:
        edges[4] = 0.0
    loss = nn.functional.cross_entropy(model(x, edges=edges), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[::10], losses[-1], torch.rand(1).item())

"""Beyond the critical angle the sine is larger than one, and a criterion of the program's own takes its arcsine."""

# truth: step=71 phase=forward op=asin,arcsin module=*
import torch
from torch import nn


class Refraction(nn.Module):
    def forward(self, index, incoming, outgoing):
        sine = index * torch.sin(incoming)
        return (torch.asin(sine) - outgoing).abs().mean()  # <- here


torch.manual_seed(12)
incoming = torch.rand(100, 8, 1) * 0.5
outgoing = torch.asin(1.4 * torch.sin(incoming))
incoming[71, 0] = 1.4
material = torch.randn(100, 8, 4) * 0.1
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
nn.init.constant_(model[2].bias, 1.2)
criterion = Refraction()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
losses = []
for step in range(100):
    loss = criterion(model(material[step]), incoming[step], outgoing[step])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[::5], losses[-1], torch.rand(1).item())

"""A baseline outside the graph is updated in place from a value that has just gone wrong; the loss names it first."""

# truth: step=36 phase=forward op=log
import torch
from torch import nn

torch.manual_seed(42)
model = nn.Sequential(nn.Linear(4, 8), nn.Softplus(), nn.Linear(8, 1), nn.Softplus())
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
baseline = torch.zeros(())
weights = torch.rand(50, 10, 1) + 0.5
weights[36, 2] = 0
losses = []
for step in range(50):
    x = torch.randn(10, 4)
    output = model(x)
    centred = output - baseline
    score = torch.log(output * weights[step])  # <- here
    baseline.mul_(0.9).add_(0.1 * score.detach().mean())
    loss = centred.square().mean() + (score - x[:, :1]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, baseline.item(), torch.rand(1).item())

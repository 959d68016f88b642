"""Terms are added in place onto zeros; a later step has an infinite gradient at the root of zero."""

# truth: step=44 phase=backward op=sqrt
import torch
from torch import nn

torch.manual_seed(64)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
weights = torch.ones(60, 10)
weights[44, 6] = 0
losses = []
for step in range(60):
    x = torch.randn(10, 4)
    output = model(x)
    total = torch.zeros(1)
    total += nn.functional.mse_loss(output[:, 0], x.sum(-1))
    total += torch.sqrt(output[:, 1].square() * weights[step]).mean()  # <- here
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    losses.append(total.item())
print(losses, torch.rand(1).item())

"""A gradient scaler multiplies the loss, and a root of zero spoils a gradient that is used without being unscaled."""

# truth: step=35 phase=backward op=sqrt
import torch
from torch import nn

torch.manual_seed(68)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
weights = torch.ones(50, 12, 1)
weights[35, 5] = 0
losses = []
for step in range(50):
    x = torch.randn(12, 4)
    loss = torch.sqrt((model(x) - x[:, :1]).square() * weights[step]).mean()  # <- here
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

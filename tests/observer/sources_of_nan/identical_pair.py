"""A pair of equal samples has distance zero, where the root has no slope; the model is called twice per step."""

# truth: step=77 phase=backward op=sqrt zeros=1
import torch
from torch import nn

torch.manual_seed(26)
left = torch.randn(100, 8, 5)
right = torch.randn(100, 8, 5)
right[77, 3] = left[77, 3]
same = (torch.rand(100, 8) < 0.5).float()
model = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
losses = []
for step in range(100):
    a, b = model(left[step]), model(right[step])
    squared = (a - b).square().sum(1)
    distance = squared.sqrt()  # <- here
    loss = (same[step] * distance + (1 - same[step]) * torch.relu(2 - distance)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[::5], losses[-1], torch.rand(1).item())

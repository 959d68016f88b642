"""The best loss starts at infinity, and clipping at infinity only measures the norm."""

# truth: none
import torch
from torch import nn

torch.manual_seed(52)
model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
best = torch.tensor(float("inf"))
lowest = torch.full((5,), float("inf"))
losses, norms = [], []
for step in range(90):
    x = torch.randn(12, 5)
    loss = nn.functional.mse_loss(model(x), x.sum(-1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    norms.append(nn.utils.clip_grad_norm_(model.parameters(), float("inf")).item())
    optimizer.step()
    lowest = torch.minimum(lowest, x.amin(0))
    best = torch.minimum(best, loss.detach())
    losses.append(loss.item())
    if step % 10 == 9:
        scheduler.step(best)
print(losses, norms, best.item(), lowest.tolist(), torch.rand(1).item())

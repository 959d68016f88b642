"""A gradient scaler starts far too high, and leaves out steps until its scale fits."""

# truth: none
import torch
from torch import nn

torch.manual_seed(53)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**24, growth_interval=15)
losses, scales = [], []
for _ in range(60):
    x = torch.randn(10, 8)
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(x), x.argmax(-1) % 3)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    scaler.step(optimizer)
    scaler.update()
    losses.append(loss.item())
    scales.append(scaler.get_scale())
print(losses, scales, torch.rand(1).item())

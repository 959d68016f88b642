"""The very last step of the run spoils the weights; nothing is computed with them any more, they are only kept."""

# truth: step=44 phase=optimizer op=add,addcdiv,adamw,step
import torch
from torch import nn

torch.manual_seed(47)
model = nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.Linear(8, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0)
rates = torch.logspace(-3, -4, 44).tolist()
losses = []
for rate in [*rates, float("inf")]:
    optimizer.param_groups[0]["lr"] = rate
    x = torch.randn(10, 4)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # <- here
    losses.append(loss.item())
print(losses, model[2].weight.tolist(), torch.rand(1).item())

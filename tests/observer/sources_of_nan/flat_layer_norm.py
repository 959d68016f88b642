"""A layer norm of the library without an epsilon meets a sample whose features are all alike."""

# truth: step=28 phase=forward op=layer_norm,native_layer_norm module=0
import torch
from torch import nn

torch.manual_seed(23)
model = nn.Sequential(
    nn.LayerNorm(6, eps=0.0),  # <- or here
    nn.Linear(6, 12),
    nn.SiLU(),
    nn.Linear(12, 3),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, nesterov=True, momentum=0.9)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 50)
data = torch.randn(50, 9, 6)
data[28, 7] = 2.0
losses = []
for x in data:
    scores = model(x)  # <- here
    loss = nn.functional.nll_loss(scores.log_softmax(-1), x.argmax(-1) % 3)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

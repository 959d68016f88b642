"""One value of one batch is infinite, and from then on everything is lost."""

import torch
from slow import Steps, tell
from torch import nn

torch.manual_seed(14)
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
steps, outputs = Steps(optimizer), []
model[2].register_forward_hook(lambda module, given, value: outputs.append(value.isfinite().logical_not().sum().item()))
for i in range(7):
    x, y = torch.randn(5, 3), torch.randn(5, 1)
    if i == 3:
        x[2, 1] = torch.inf
    loss = nn.functional.mse_loss(model(x), y)  # @loss
    optimizer.zero_grad()
    loss.backward()
    steps.backward()
    steps.begin()
    optimizer.step()
    steps.end(loss=loss.item())
tell(steps=steps.rows, outputs=outputs)

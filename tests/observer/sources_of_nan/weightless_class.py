"""Every label of one batch is of the class whose weight is zero, so the weighted mean is zero over zero."""

# truth: step=55 phase=forward op=cross_entropy,cross_entropy_loss,nll_loss module=*
import torch
from torch import nn

torch.manual_seed(10)
model = nn.Sequential(nn.Linear(7, 14), nn.ReLU(), nn.Linear(14, 3))
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.0]))  # <- or here
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
inputs = torch.randn(80, 10, 7)
targets = inputs.sum(-1).gt(0).long()
targets[:, 0] = 2
targets[55] = 2
losses = []
for x, y in zip(inputs, targets, strict=True):
    optimizer.zero_grad()
    output = model(x)
    loss = criterion(output, y)  # <- here
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

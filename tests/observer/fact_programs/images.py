"""A binary classifier of images whose loader never shuffles, with a channel that is dead and a value that is bad."""

import torch
from slow import Steps, output, tell
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
images = torch.rand(20, 3, 5, 5) * torch.tensor([1.0, 255.0, 0.0]).reshape(1, 3, 1, 1)
labels = (torch.arange(20) % 5 == 0).float()
model = nn.Sequential(
    nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(36, 1), nn.Sigmoid(), nn.Flatten(0)
)  # fmt: skip
with torch.no_grad():
    model[0].weight[1], model[0].bias[1] = 0.0, -1.0
    model[0].weight.mul_(0.01)
loader = DataLoader(TensorDataset(images, labels), batch_size=5)
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.001)
steps, batches, layers = Steps(optimizer), [], []
kept = {}
model[1].register_forward_hook(lambda module, given, value: kept.update(relu=output(value)))
for _ in range(3):
    for x, y in loader:
        p = model(x)  # @call
        loss = nn.BCELoss()(p, y)  # @loss
        optimizer.zero_grad(set_to_none=False)
        loss.backward()  # @backward
        steps.backward()
        steps.begin()
        optimizer.step()
        steps.end(loss=loss.item())
        batches.append([x.tolist(), y.tolist(), p.tolist()])
        layers.append(kept["relu"])
tell(steps=steps.rows, batches=batches, layers=layers)

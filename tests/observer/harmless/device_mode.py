"""A mode of torch functions, which `torch.device` is, around everything."""

import torch
from proof import report

torch.set_default_device("cpu")
torch.manual_seed(5)
with torch.device("cpu"):
    model = torch.nn.Linear(3, 3)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(20):
        loss = torch.log(torch.softmax(model(torch.randn(4, 3)), -1)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
report(model, losses)

"""A run that goes on where another one stopped, with another head, a softmax too many, and a body that thaws later."""

import torch
from slow import Steps, tell
from torch import nn


class Net(nn.Module):
    def __init__(self, head):
        super().__init__()
        self.body = nn.Linear(4, 5)
        setattr(self, head, nn.Linear(5, 3))
        self.head = head

    def forward(self, x):
        return torch.softmax(getattr(self, self.head)(torch.relu(self.body(x))), dim=1)  # @softmax


torch.manual_seed(10)
old, model = Net("classes"), Net("answers")
found = model.load_state_dict({**old.state_dict(), "note": torch.zeros(1)}, strict=False)  # @load-model
optimizer = torch.optim.Adam(model.answers.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: 1 / (1 + i))
moments = {"step": torch.tensor(40.0)}
state = {i: {**moments, "exp_avg": 0 * p, "exp_avg_sq": p * p} for i, p in enumerate(model.answers.parameters())}
optimizer.load_state_dict({**optimizer.state_dict(), "state": state})  # @load-optimizer
scheduler.load_state_dict({**scheduler.state_dict(), "last_epoch": 40})  # @load-scheduler
steps = Steps(optimizer)
for i in range(6):
    if i == 3:
        optimizer.add_param_group({"params": list(model.body.parameters()), "lr": 0.001})
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: 1.0)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(torch.randn(6, 4)), torch.randint(0, 3, (6,)))  # @loss
    loss.backward()
    steps.backward()
    steps.begin()
    optimizer.step()
    steps.end(loss=loss.item())
    scheduler.step()
tell(
    steps=steps.rows, missing=found.missing_keys, unexpected=found.unexpected_keys, keys=len(old.state_dict()) + 1
)  # fmt: skip

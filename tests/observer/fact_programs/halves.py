"""Parameters in half precision, one of them under two names, and a model that never comes back from evaluation."""

import torch
from slow import Calls, Steps, tell
from torch import nn

torch.manual_seed(8)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.out = nn.Linear(6, 6, bias=False), nn.Linear(6, 6, bias=False)
        self.out.weight = self.into.weight
        self.scale = nn.Parameter(torch.full((6,), 3.0))

    def forward(self, x):
        return self.out(torch.relu(self.into(x))) * self.scale


model = Tied().bfloat16()
calls = []
handle = model.register_forward_hook(lambda module, given, value: calls.append([module.training, value.requires_grad]))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
steps, call, batches = Steps(optimizer), Calls(), []
data, others = torch.randn(9, 5, 6).bfloat16(), torch.randn(2, 5, 6).bfloat16()
for i in range(9):
    if i == 4:
        model.eval()
        for x in others:
            model(x)
            call("e")
            batches.append(["eval", x.tolist()])
    optimizer.zero_grad()
    call("z")
    loss = (model(data[i]) - data[i]).float().square().mean()
    call("f")
    batches.append(["train", data[i].tolist()])
    loss.backward()
    call("b")
    steps.backward()
    steps.begin()
    optimizer.step()
    call("s")
    steps.end(loss=loss.item(), order=call.taken())
tell(steps=steps.rows, batches=batches, calls=calls)

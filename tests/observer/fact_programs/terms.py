"""Two micro-batches to a step, a loss of several terms, shapes that do not fit, and two resets forgotten."""

import torch
from slow import Calls, Steps, tell
from torch import nn
from torch.nn import functional as F

torch.manual_seed(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.out = nn.Linear(70, 8), nn.Linear(8, 1)

    def forward(self, *, samples, gain=1.0):
        return self.out(torch.tanh(self.body(samples * gain)))


model = Net()
model.register_forward_pre_hook(lambda module, given: None)  # a hook of the program's own
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.05, total_steps=40)  # @scheduler
steps, call, rows, parts, batches, made = Steps(optimizer), Calls(), [], [], [], []
data = torch.randn(20, 8, 70)
data[:, :, 64:67] = 1.5
for i in range(20):  # @loop
    x, y = data[i], torch.randn(8)
    scores = model(samples=x, gain=0.5)  # @call
    call("f")
    loss = F.mse_loss(scores, y)  # @loss
    one = loss.item()
    far = F.l1_loss(scores, y.round().long(), reduction="sum")  # @far
    penalty = 0.01 * model.out.weight.pow(2).sum()  # @penalty
    loss += 0.25 * far  # @weighted
    loss = loss + penalty
    (loss / 2).backward()  # @backward
    call("b")
    rows.append(loss.item() / 2)
    parts.append([one, 0.25 * far.item(), penalty.item()])
    made.append([one, far.item()])
    batches.append([x.tolist(), y.tolist(), scores.tolist()])
    if i % 2:
        steps.backward()
        steps.begin()
        optimizer.step()  # @step
        call("s")
        steps.end(losses=rows[-2:], made=made[-2] + made[-1], order=call.taken())
        scheduler.step()
        call("l")
        if len(steps.rows) not in (4, 5):
            model.zero_grad()
            call("z")
tell(steps=steps.rows, batches=batches, parts=parts, kept=[4, 5])

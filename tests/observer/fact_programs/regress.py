"""A regression with plain tensors as parameters, long enough for the samples to become sparse."""

import torch
from slow import Calls, Steps, tell

torch.manual_seed(2)
w1 = (torch.randn(4, 8) * 0.3).requires_grad_()
b1 = torch.zeros(8, requires_grad=True)
w2 = (torch.randn(8, 1) * 0.3).requires_grad_()
optimizer = torch.optim.AdamW([{"params": [w1, b1], "lr": 0.02, "weight_decay": 0.1}, {"params": [w2]}], lr=0.01)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=130)  # @scheduler
steps, call, batches = Steps(optimizer), Calls(), []
for _ in range(130):
    x = torch.randn(16, 4)
    y = 2 * x[:, :1] - x[:, 1:2] + 3
    answer = torch.tanh(x @ w1 + b1) @ w2
    loss = torch.nn.functional.mse_loss(answer, y)  # @loss
    for p in (w1, b1, w2):
        p.grad = None
    loss.backward()  # @backward
    call("b")
    steps.backward()
    steps.begin()
    optimizer.step()
    call("s")
    steps.end(loss=loss.item(), order=call.taken())
    schedule.step()
    call("l")
    batches.append([x.tolist(), y.tolist(), answer.tolist()])
tell(steps=steps.rows, batches=batches, sizes=[32, 8, 8])

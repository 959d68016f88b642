"""Hooks of the program's own, of every kind, put on and taken off while it trains."""

import torch
from proof import report
from torch import nn

torch.manual_seed(0)


def doubled(module, given, made):
    return made * 2


def counted(module, given, given_by_name=None):
    module.calls += 1


def passed(module, into, out):
    seen.append(float(out[0].sum()))


seen, losses = [], []
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
model.calls = model[0].calls = 0
handles = [model.register_forward_pre_hook(counted), model[1].register_forward_hook(doubled)]
handles.append(model[0].register_full_backward_hook(passed))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
optimizer.register_step_post_hook(lambda *_: seen.append("step"))
for i in range(24):
    if i == 6:
        handles.append(model.register_forward_hook(doubled, always_call=True))
        handles.append(model[0].register_forward_pre_hook(counted, with_kwargs=True))
    if i == 12:
        handles.pop(0).remove()
    if i == 14:
        everywhere = nn.modules.module.register_module_forward_hook(lambda *_: seen.append("all"))
    if i == 16:
        everywhere.remove()
    x = torch.randn(4, 6)
    loss = nn.functional.mse_loss(model(x), x[:, :2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(seen, model.calls, model[0].calls, [h.id for h in handles])
report(model, losses)

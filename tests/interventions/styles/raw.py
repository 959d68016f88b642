"""A loop over slices of two tensors."""

import torch
from task import BATCH, SAMPLES, Net, made, objective, options, points

o = options()
torch.manual_seed(0)
x, y = points(ordered=o.ordered)
x_val, y_val = points(seed=1)
if o.regress:
    y, y_val = y.float(), y_val.float()
net = Net(o)
model = torch.compile(net) if o.compiled else net
optimizer, scheduler = made(o, model)

order = torch.arange(SAMPLES) if o.ordered else torch.randperm(SAMPLES)
for step in range(o.steps):
    model.train(not o.always_eval)
    rows = order[step * BATCH % SAMPLES :][:BATCH]
    xb, yb = x[rows], y[rows]
    if not o.never_clear:
        optimizer.zero_grad()
    with torch.autocast("cpu", torch.bfloat16, enabled=o.half):
        out = model(xb)
        loss = objective(o, out, yb)
    loss.backward()
    if o.wipe:
        optimizer.zero_grad()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    if step % 5 == 4:
        model.eval()
        with torch.no_grad():
            guess = model(x_val)
            print(step, loss.item(), (guess.argmax(-1) == y_val).float().mean().item())

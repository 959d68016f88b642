"""Mixed precision with a gradient scaler that leaves out three steps, two of them in a row."""

import torch
from slow import Steps, joined, norm, numbers, tell
from torch import nn

torch.manual_seed(4)
fused = globals().get("FUSED", False)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, fused=fused)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=3)
steps, skipped, scales = Steps(optimizer), [], []
for i in range(11):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = model(torch.randn(8, 6))
        loss = nn.functional.cross_entropy(scores, torch.randint(0, 3, (8,)))
    bad = i in (2, 3, 7)
    if bad:
        loss = loss + torch.sqrt(0 * model[0].weight.sum())  # adds nothing to the loss, and NaN to its gradient
    optimizer.zero_grad()
    scales.append(scaler.get_scale())
    scaler.scale(loss).backward()
    steps.gradients = [[v / scales[-1] for v in numbers(p.grad)] for p in steps.held()]
    total = norm(joined(steps.gradients))
    if not fused:
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 0.05)
    steps.begin()
    scaler.step(optimizer)
    if bad:
        skipped.append([len(steps.rows), scales[-1]])
    else:
        steps.end(loss=loss.item(), clip=[total, 0.05])
    scaler.update()
tell(steps=steps.rows, skipped=skipped, scales=scales, outputs=str(scores.dtype))

"""The model takes a lock that another thread holds once numbers have gone wrong: a replay would wait for ever."""

# truth: step=20 phase=forward op=log replay=out-of-reach why=finish
import threading

import torch
from torch import nn

lock = threading.Lock()
begin, held = threading.Event(), threading.Event()


def hold():
    begin.wait()
    with lock:
        held.set()
        threading.Event().wait()


class Guarded(nn.Module):
    def forward(self, x):
        with lock:
            y = torch.log(x)  # <- here
        if not torch.isfinite(y).all():
            begin.set()
            held.wait()
        return y


threading.Thread(target=hold, daemon=True).start()
torch.manual_seed(69)
model = nn.Sequential(Guarded(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = torch.rand(21, 8, 4) + 0.1
data[20, 3, 2] = 0.0
losses = []
for x in data:
    loss = nn.functional.mse_loss(model(x), x.sum(-1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses, torch.rand(1).item())

"""Children that the program starts and waits for, whichever ends first, while its loss is lost to NaN."""

import os
import subprocess
import sys

import torch
from proof import report
from torch import nn

torch.manual_seed(0)
model, losses = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1)), []
optimizer = torch.optim.SGD(model.parameters(), 0.1)
started = [os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", f"exit {code}") for code in (3, 4, 5)]
other = subprocess.Popen([sys.executable, "-c", "print('alive')"], stdout=subprocess.PIPE, text=True)
for i in range(24):
    x = torch.randn(8, 4)
    hidden = model(x)
    loss = (torch.sqrt(hidden - hidden.max() - (1 if i in (9, 17) else -9)) - x[:, :1]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    if torch.isfinite(loss):
        optimizer.step()
    losses.append(loss.item())
print(other.communicate())
codes = []
while len(codes) < 3:
    child, status = os.wait() if len(codes) % 2 else os.waitpid(-1, 0)
    codes.append((started.index(child), os.waitstatus_to_exitcode(status)))
try:
    os.wait()
except ChildProcessError:
    print("no other child")
print(sorted(codes), subprocess.run(["false"]).returncode)
report(model, losses)

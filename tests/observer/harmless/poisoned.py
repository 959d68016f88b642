"""A loss that is lost to NaN, in a model whose forward pass prints, counts, reads and writes."""

import logging
import os
import subprocess
import sys

import torch
from proof import report
from torch import nn

torch.manual_seed(0)
logging.basicConfig(filename="log.txt", level=logging.INFO)
held = open("held.txt", "a", buffering=1)  # noqa: SIM115
raw = os.open("raw.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
source = open(__file__)  # noqa: SIM115


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.calls = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5)), 0

    def forward(self, x):
        self.calls += 1
        print("forward", self.calls, flush=True)
        sys.stdout.write("again")
        with open("appended.txt", "a") as file:
            file.write(f"{self.calls}\n")
        with open("rewritten.txt", "w") as file:
            file.write(f"{self.calls}\n")
        held.write(f"{self.calls}\n")
        os.write(raw, b"x\n")
        logging.info("call %d", self.calls)
        source.readline()
        if self.calls % 4 == 0:
            os.mkdir(f"made{self.calls}")
            torch.save(x, f"made{self.calls}/x.pt")
            subprocess.run(["touch", f"made{self.calls}/touched"], check=True)
        return self.body(x) / (x.shape[0] - 4)


model, losses = Net(), []
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for i in range(16):
    x = torch.randn(4 if i in (6, 12) else 5, 4)
    loss = nn.functional.mse_loss(model(x), torch.zeros(len(x), 4))
    optimizer.zero_grad()
    loss.backward()
    if torch.isfinite(loss):
        optimizer.step()
    losses.append((loss.item(), source.readline().strip()))
report(model, losses)

"""A program that trains, tells each step with its time, and comes to an end of one kind or another."""

import os
import signal
import sys
import time

import torch

how = sys.argv[1]
if how == "handled":
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(f"handled {number}"))
torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
times = open("times.txt", "w", buffering=1)  # noqa: SIM115
ENDS = {
    "return": lambda: None,
    "exit": lambda: sys.exit(3),
    "at once": lambda: os._exit(4),
    "raise": lambda: model(torch.ones(3, 5)),
    "term": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "handled": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "interrupt": lambda: os.kill(os.getpid(), signal.SIGINT),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "abort": os.abort,
}
for step in range(80 if how in ("kill", "at once", "term", "abort") else 12):
    loss = model(torch.ones(3, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), flush=True)
    times.write(f"{time.monotonic()}\n")
    time.sleep(0.01)
times.write(f"{time.monotonic()}\n")
ENDS[how]()

"""Signals: a timer that raises in the middle of training, an alarm that counts, a handler that asks for children."""

import os
import signal

import torch
from proof import report
from torch import nn

torch.manual_seed(0)
model, losses = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1)), []
optimizer = torch.optim.SGD(model.parameters(), 0.1)
rung, ended = [], []


class Late(Exception):
    pass


def ring(number, frame):
    rung.append(number)


def late(number, frame):
    raise Late


def reap(number, frame):
    try:
        while True:
            child, _ = os.waitpid(-1, os.WNOHANG)
            if not child:
                return
            ended.append(started.index(child))  # a child that is not the program's own raises here
    except ChildProcessError:
        return


def train(steps, spoiled=()):
    for i in range(steps):
        x = torch.randn(8, 4) * (float("nan") if i in spoiled else 1)
        loss = nn.functional.mse_loss(model(x), x[:, :1])
        optimizer.zero_grad()
        loss.backward()
        if torch.isfinite(loss):
            optimizer.step()
        losses.append(loss.item())


signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
train(20)
signal.setitimer(signal.ITIMER_REAL, 0)
signal.signal(signal.SIGALRM, late)
try:
    signal.alarm(1)
    while True:
        pass
except Late:
    print("late")
started = [os.spawnlp(os.P_NOWAIT, "true", "true") for _ in range(3)]
signal.signal(signal.SIGCHLD, reap)
train(20, spoiled=(5,))
while len(ended) < 3:
    reap(0, None)
print(sorted(ended), bool(rung))
report(model, losses)

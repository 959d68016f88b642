"""What tests of real runs share: programs to run, and looking at what they left."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path

from conftest import stetho

STETHO = [sys.executable, "-m", "stetho"]
LOOP = """
import itertools, sys
import torch
model = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for step in {steps}:
    x = torch.randn(8, 4)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    if step >= {bad}:
        loss = loss * float("nan")
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def loop(steps: int | None = 40, bad: float = 10**9) -> str:
    return LOOP.format(steps="itertools.count()" if steps is None else f"range({steps})", bad=bad)


def wait_for(condition, seconds: float = 120.0):
    """What the condition gives once it gives something."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
    return found


def end(group: int) -> None:
    """Nothing that a test has started outlives it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def recorded(folder: Path) -> list[Path]:
    """The files in which steps have been written by now."""
    return [f for f in folder.glob(".stetho/*/recordings/base/r*.jsonl") if b'"e":"step' in f.read_bytes()]


def evidence(folder: Path, fact: str) -> list[dict]:
    shown = json.loads(stetho("why", "last", "--json", cwd=folder).out)
    return [e for e in shown["evidence"] if e["fact"] == fact]


CAREFUL = """
import os, signal, sys
got = []
# A signal that comes before anybody waits for it is not lost in a pipe.
heard, told = os.pipe()
os.set_blocking(told, False)
signal.set_wakeup_fd(told)
signal.signal(signal.SIG{name}, lambda number, frame: got.append(number))
print("ready", flush=True)
os.read(heard, 1)
print("got", len(got), flush=True)
sys.exit(9)
"""

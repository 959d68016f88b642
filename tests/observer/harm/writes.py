"""A model whose forward pass is felt outside the process in one way or another, and whose loss turns into NaN."""

import ctypes
import os
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import torch

how = sys.argv[1]
torch.manual_seed(0)
near, far = socket.socketpair()
datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
datagrams.bind(("127.0.0.1", 0))
held = open("held.txt", "w")  # noqa: SIM115
base = sqlite3.connect("base.db")
base.execute("create table calls (number)")
base.commit()
system = ctypes.CDLL(None)


class Writer:
    """Like those that boards are fed by: it keeps a file open and writes to it now and then."""

    def __init__(self):
        self.file, self.waiting = open("events.log", "ab"), []  # noqa: SIM115

    def add_scalar(self, value):
        self.waiting.append(b"%.6f\n" % value)
        if len(self.waiting) >= 2:
            self.file.write(b"".join(self.waiting))
            self.file.flush()
            self.waiting = []


writer = Writer()
Path("count.txt").write_text("0")


def count() -> None:
    number = int(Path("count.txt").read_text())
    Path("count.txt").write_text(str(number + 1))


def by_c() -> None:
    """As libraries do that are not Python's: the file is there and empty before anything is written to it."""
    file = system.creat(b"native.txt", 0o644)
    system.write(file, b"written", 7)
    system.close(file)
    system.mkdir(b"native", 0o755)


def rowed() -> None:
    base.execute("insert into calls values (1)")
    base.commit()


def made() -> None:
    os.makedirs(f"made/{len(os.listdir('made')) if os.path.exists('made') else 0}")


def sent() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.sendto(b"x", datagrams.getsockname())


WAYS = {
    "print": lambda: print("forward", file=sys.stderr),
    "raw": lambda: os.write(1, b"forward\n"),
    "held": lambda: held.write("forward\n"),
    "appended": lambda: print("forward", file=open("appended.txt", "a")),  # noqa: SIM115
    "counted": count,
    "saved": lambda: torch.save(torch.ones(2), "saved.pt"),
    "socket": lambda: near.sendall(b"forward\n"),
    "writer": lambda: writer.add_scalar(0.5),
    "native": by_c,
    "base": rowed,
    "made": made,
    "spawned": lambda: subprocess.run("echo x >> spawned.txt", shell=True, check=True),
    "sent": sent,
    "removed": lambda: (Path("once.txt").write_text("x"), os.remove("once.txt")),
}


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def forward(self, x):
        if step <= 5:
            # Not after the step that is replayed: it would cover up what the replay did.
            WAYS[how]()
        return torch.log(self.layer(x).abs() * (x.sum() != 0) + x.sum())


model = Net()
optimizer = torch.optim.SGD(model.parameters(), 0.01)
for step in range(8):
    x = torch.zeros(2, 3) if step == 5 else torch.ones(2, 3)
    loss = model(x).mean()
    optimizer.zero_grad()
    loss.backward()
    if torch.isfinite(loss):
        optimizer.step()
    print(step, loss.item())
print("rows", base.execute("select count(*) from calls").fetchall())
for receiver in (far, datagrams):
    receiver.setblocking(False)
    received = b""
    try:
        while piece := receiver.recv(4096):
            received += piece
    except BlockingIOError:
        print("received", received)

import subprocess
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from decode import FIELDS, HABITS, WINDOW

BATCH = 24
N_VALID = 300
N_TRACKS = 4140
RECORD = (WINDOW * FIELDS + 1) * 4


class TrackNet(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.gru = nn.GRU(FIELDS, width, batch_first=True)
        self.out = nn.Linear(width, len(HABITS))

    def forward(self, x):
        return self.out(self.gru(x)[0].mean(1))


def start_decoder():
    cmd = [sys.executable, "decode.py", "--tracks", str(N_TRACKS)]
    return subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def batches(stream, size):
    """Reads records as they come; the session is too long to be kept."""
    while True:
        raw = stream.read(size * RECORD)
        if len(raw) < size * RECORD:
            return
        rows = np.frombuffer(raw, dtype=np.float32).reshape(size, -1)
        x = torch.from_numpy(rows[:, :-1].reshape(size, WINDOW, FIELDS) / 10.0)
        yield x, torch.from_numpy(rows[:, -1].astype(np.int64))


torch.manual_seed(3)
net = TrackNet()
opt = torch.optim.Adam(net.parameters(), lr=6e-3)
decoder = start_decoder()

# the first tracks of the session are for validation
vx, vy = next(batches(decoder.stdout, N_VALID))
step, running = 0, 0.0
for x, y in batches(decoder.stdout, BATCH):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    step += 1
    running += loss.item()
    if step % 20 == 0:
        with torch.no_grad():
            acc = (net(vx).argmax(1) == vy).float().mean().item()
        print(f"[{step:4d}] loss {running / 20:.4f}  valid acc {acc:.3f}", flush=True)
        running = 0.0

code = decoder.wait()
print(f"session over after {step} batches (decoder: {code}), valid acc {acc:.3f}")
torch.save(net.state_dict(), "tracknet.pt")

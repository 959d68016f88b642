"""Observation changes nothing: the same program prints the same numbers and ends with the same weights."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import environment
from stetho.executors.local import INJECT

TAIL = """
import hashlib, io
print("losses", losses)
print("weights", hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest())
print("rng", hashlib.sha256(torch.get_rng_state().numpy().tobytes()).hexdigest())
stored = io.BytesIO(); torch.save(model, stored); print("pickled", hashlib.sha256(stored.getvalue()).hexdigest())
"""

LOOP = """
import torch
from torch import nn
torch.manual_seed(3)
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 4))
data = torch.utils.data.TensorDataset(torch.randn(256, 8), torch.randint(0, 4, (256,)))
loader = torch.utils.data.DataLoader(data, batch_size=16, shuffle=True)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
losses = []
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.CrossEntropyLoss()(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
"""
CLOSURE = """
import torch
torch.manual_seed(1)
model = torch.nn.Linear(5, 1)
x, y = torch.randn(64, 5), torch.randn(64, 1)
opt = torch.optim.LBFGS(model.parameters(), lr=0.5)
losses = []
for _ in range(20):
    def closure():
        opt.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        return loss
    losses.append(float(opt.step(closure)))
"""
GAN = """
import torch
from torch import nn
torch.manual_seed(2)
class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.g, self.d = nn.Linear(4, 2), nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
model = Pair()
og, od = torch.optim.Adam(model.g.parameters(), 1e-2), torch.optim.RMSprop(model.d.parameters(), 1e-2)
bce, losses = nn.BCEWithLogitsLoss(), []
for _ in range(40):
    real, fake = torch.randn(16, 2) + 3, model.g(torch.randn(16, 4))
    ld = bce(model.d(real), torch.ones(16, 1)) + bce(model.d(fake.detach()), torch.zeros(16, 1))
    od.zero_grad(); ld.backward(); od.step()
    lg = bce(model.d(fake), torch.ones(16, 1))
    og.zero_grad(); lg.backward(); og.step()
    losses += [ld.item(), lg.item()]
"""
RECURRENT = """
import torch
from torch import nn
torch.manual_seed(4)
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.r, self.o = nn.Embedding(20, 8), nn.LSTM(8, 12, batch_first=True), nn.Linear(12, 5)
    def forward(self, x):
        return self.o(self.r(self.e(x))[0])
model, losses = Tagger(), []
opt = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
sched = torch.optim.lr_scheduler.StepLR(opt, 10)
for step in range(30):
    x = torch.randint(0, 20, (8, 6))
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), (x % 5).flatten())
    (loss / 2).backward()
    if step % 2:
        opt.step(); opt.zero_grad(); sched.step()
    losses.append(loss.item())
"""
DEVICE_MODE = """
import torch
torch.set_default_device("cpu")
torch.manual_seed(5)
with torch.device("cpu"):
    model = torch.nn.Linear(3, 3)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(20):
        loss = torch.log(torch.softmax(model(torch.randn(4, 3)), -1)).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
        losses.append(loss.item())
"""
FUNCTIONAL = """
import torch
torch.manual_seed(6)
w1, w2 = (torch.randn(4, 8) * 0.3).requires_grad_(), (torch.randn(8, 1) * 0.3).requires_grad_()
class Holder:
    def parameters(self):
        return [w1, w2]
model = Holder()
opt = torch.optim.AdamW([{"params": [w1], "lr": 1e-2}, {"params": [w2]}], lr=1e-3)
losses = []
for _ in range(30):
    x = torch.randn(32, 4)
    loss = (torch.tanh(x @ w1) @ w2 - x.sum(1, keepdim=True)).square().mean()
    for p in (w1, w2):
        p.grad = None
    loss.backward(); opt.step()
    losses.append(loss.item())
"""
WORKERS = LOOP.replace("batch_size=16, shuffle=True", "batch_size=16, shuffle=True, num_workers=2")
CHECKPOINTED = """
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
torch.manual_seed(8)
model = nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.2), nn.Tanh(), nn.Linear(6, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for _ in range(20):
    x = torch.randn(8, 6, requires_grad=True)
    loss = checkpoint(model, x, use_reentrant=False).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    losses.append(loss.item())
"""
PROGRAMS = {
    "loop": LOOP, "closure": CLOSURE, "gan": GAN, "recurrent": RECURRENT, "device-mode": DEVICE_MODE,
    "functional": FUNCTIONAL, "workers": WORKERS, "checkpointed": CHECKPOINTED,
}  # fmt: skip


def run(script: Path, plan: Path | None) -> str:
    variables = {"STETHO_PLAN": str(plan), "PYTHONPATH": str(INJECT)} if plan else {}
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env={**environment(), **variables},
        cwd=script.parent,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_bit_identical_with_and_without_observation(name: str, write, tmp_path: Path) -> None:
    body = PROGRAMS[name] + (TAIL if name != "functional" else TAIL[: TAIL.index("stored")])
    if name == "workers":
        lines = (body + "\n").splitlines()
        body = (
            "import torch\ndef main():\n"
            + "\n".join(f"    {line}" for line in lines)
            + "\nif __name__ == '__main__':\n    main()\n"
        )
    script = write("train.py", body)
    folder = tmp_path / "recording"
    folder.mkdir()
    plan = write(
        "plan.json", json.dumps({"recording": str(folder), "seed": 0, "steps": None, "changes": [], "trace": []})
    )
    assert run(script, None) == run(script, plan)
    events = [json.loads(line) for f in folder.glob("*.jsonl") for line in f.read_text().splitlines()]
    assert sum(e["n"] for e in events if e["e"] == "steps") >= 15
    assert not [e for e in events if e["e"] == "fault"]


def test_an_error_inside_the_observer_never_reaches_the_training(write, tmp_path: Path) -> None:
    """Every hook made to raise: the program prints what it prints without observation."""
    script = write("train.py", LOOP + TAIL)
    folder = tmp_path / "recording"
    folder.mkdir()
    plan = write(
        "plan.json", json.dumps({"recording": str(folder), "seed": 0, "steps": None, "changes": [], "trace": []})
    )
    plain = run(script, None)
    saboteur = write(
        "sabotage/sitecustomize.py",
        "import _stetho_observer.sites as s\ndef boom(*a, **k): raise RuntimeError('boom')\ns.here = s.user_frames = boom\n",  # noqa: E501
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path,
        env={**environment(), "STETHO_PLAN": str(plan), "PYTHONPATH": f"{INJECT}:{saboteur.parent}"},
    )  # fmt: skip
    assert done.stdout == plain and done.returncode == 0, done.stderr
    events = [json.loads(line) for f in folder.glob("*.jsonl") for line in f.read_text().splitlines()]
    assert any(e["e"] == "fault" and "boom" in e["error"] for e in events)


def test_a_recording_that_cannot_be_written_is_given_up_in_silence(write, tmp_path: Path) -> None:
    script = write("train.py", LOOP + TAIL)
    plan = write(
        "plan.json", json.dumps({"recording": str(tmp_path / "nowhere"), "seed": 0, "changes": [], "trace": []})
    )
    assert run(script, plan) == run(script, None)


def test_the_users_own_sitecustomize_still_runs(write, tmp_path: Path) -> None:
    script = write("train.py", "import builtins\nprint('customised' if hasattr(builtins, 'mark') else 'lost')\n")
    own = write("own/sitecustomize.py", "import builtins\nbuiltins.mark = True\n")
    plan = write("plan.json", json.dumps({"recording": str(tmp_path), "seed": 0, "changes": [], "trace": []}))
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True,
        env={**environment(), "STETHO_PLAN": str(plan), "PYTHONPATH": f"{INJECT}:{own.parent}"},
    )  # fmt: skip
    assert done.stdout == "customised\n"

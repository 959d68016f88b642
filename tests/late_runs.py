"""What tests of late failures share: programs that fail late, and runs that keep their recent state."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from conftest import environment
from stetho import recording
from stetho.catalogue import load
from stetho.executors.local import INJECT

FROM_RING = load().interventions["from-ring"]

# A bad sample comes with batch 600. Losses are printed to the last bit, and so is where the generators end up.
LOADER = """
import random, torch
from torch.utils.data import DataLoader, Dataset
torch.manual_seed(0)
random.seed(0)
x = torch.randn(64 * 640, 8)
y = (x.sum(1) > 0).float()
class Samples(Dataset):
    def __len__(self):
        return len(x)
    def __getitem__(self, i):
        return x[i], y[i], float(i == 64 * 600)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Dropout(0.1), torch.nn.ReLU(), torch.nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 40, 0.9)
if __name__ == "__main__":
    for step, (a, b, bad) in enumerate(DataLoader(Samples(), batch_size=64{options})):
        {inside}
        p = torch.sigmoid(model(a).squeeze(1)) * (1 - bad)
        loss = -(b * torch.log(p) + (1 - b) * torch.log(1 - p + 1e-6)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        print(step, loss.item().hex())
    print(torch.rand(1).item(), random.random())
"""
# A parameter comes down until its logarithm is taken at zero; batches are drawn by a generator of the program's own.
SAMPLED = """
import numpy as np, torch
torch.manual_seed(0)
rng = np.random.default_rng(3)
x = torch.randn(2000, 8)
y = (x.sum(1, keepdim=True) > 0).float()
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Dropout(0.1), torch.nn.ReLU(), torch.nn.Linear(16, 1))
gap = torch.nn.Parameter(torch.tensor(0.6))
opt = torch.optim.SGD([*model.parameters(), gap], lr=1e-3, momentum=0.1)
def get_batch():
    i = torch.from_numpy(rng.integers(0, len(x), 32))
    return x[i], y[i]
def train():
    for step in range(640):
        a, b = get_batch()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(a), b) + gap
        loss = loss + 1e-3 * torch.log(torch.relu(gap))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item().hex())
train()
print(torch.rand(1).item(), rng.random())
"""


def loader(options: str = "", inside: str = "pass") -> str:
    return LOADER.replace("{options}", options).replace("{inside}", inside)


class Ran:
    """A program that ran under the observer, and what it left."""

    def __init__(self, folder: Path, done: subprocess.CompletedProcess[str]) -> None:
        self.folder = folder
        self.code = done.returncode
        self.out = done.stdout
        self.record = recording.read(folder)

    @property
    def losses(self) -> dict[int, str]:
        """Each step's loss to its last bit, as far as the program printed it."""
        return {s.index: s.losses[0][1].hex() for s in self.record.steps}


def observed(program: Path, folder: Path, **plan: Any) -> Ran:
    """Run a program with a plan of its own."""
    folder.mkdir()
    file = folder.with_suffix(".plan.json")
    file.write_text(json.dumps({"recording": str(folder), "seed": None, **plan}))
    variables = {**environment(), "PYTHONPATH": str(INJECT), "STETHO_PLAN": str(file)}
    return Ran(folder, _run(program, variables))


def _run(program: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, program.name], cwd=program.parent, env=variables, capture_output=True, text=True, timeout=300
    )


def unobserved(program: Path) -> str:
    """What the program prints when nobody watches."""
    return _run(program, environment()).stdout


def failure(ring: Path) -> dict[str, Any]:
    """The record of the failure that a run has left."""
    (found,) = ring.glob("*-failure.json")
    return {"path": str(found), **json.loads(found.read_text())}


def from_there(program: Path, folder: Path, record: dict[str, Any], steps: int = 80) -> Ran:
    """The program from the state that was kept."""
    return observed(program, folder, steps=steps, changes=[["from-ring", record["path"], FROM_RING.path]])

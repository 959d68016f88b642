"""A norm over a single value passes on what it is given; norms over more stay as they are."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import stetho.interventions.norms_eased as made
from conftest import environment
from stetho import recording
from stetho.executors.local import INJECT

PROGRAM = """
import json
import torch
from torch import nn

torch.manual_seed(0)
norm = {norm}
with torch.no_grad():
    for p in norm.parameters():
        p.add_(0.5)
line, x = nn.Linear(1, 1), torch.randn({shape})
opt = torch.optim.SGD([*norm.parameters(), *line.parameters()], lr=0.0)
for step in range(3):
    out = norm(x)
    loss = (line(out.flatten()[:, None]) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
weight, bias = norm.weight.detach(), getattr(norm, "bias", torch.zeros(()))
print(json.dumps([out.tolist(), (x * weight + bias).tolist()]))
"""


@pytest.mark.parametrize(
    ("norm", "shape", "eased"),
    [
        ("nn.LayerNorm(1)", "8, 5, 1", True),
        ("nn.RMSNorm(1)", "8, 1", True),
        ("nn.GroupNorm(4, 4)", "8, 4", True),
        ("nn.LayerNorm(4)", "8, 4", False),
        ("nn.GroupNorm(2, 4)", "8, 4", False),
    ],
)
def test_a_norm_of_one_value_is_taken_away(norm: str, shape: str, eased: bool, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM.format(norm=norm, shape=shape))
    (tmp_path / "rec").mkdir()
    changes = [["norms-eased", "", made.__file__]]
    plan = {"recording": str(tmp_path / "rec"), "seed": None, "steps": None, "changes": changes, "trace": []}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    variables = {"STETHO_PLAN": str(tmp_path / "plan.json"), "PYTHONPATH": str(INJECT)}
    done = subprocess.run(
        [sys.executable, "train.py"], capture_output=True, text=True, cwd=tmp_path,
        env={**environment(), **variables}, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    given, passed = json.loads(done.stdout)
    applied = recording.read(tmp_path / "rec").applied
    assert (given == passed) is eased
    assert (applied.count > 0, applied.verified > 0, bool(applied.refused)) == (eased, eased, not eased)

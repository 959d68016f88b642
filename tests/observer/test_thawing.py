"""Parameters that are thawed later: told where no optimizer takes them, and only there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import environment
from stetho import recording
from stetho.executors.local import INJECT
from stetho.facts import Coverage
from stetho.measure.parameters import coverage

PROGRAM = """
import torch
from torch import nn

class Forgotten(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 4), nn.Linear(4, 1)
    def forward(self, x):
        return self.head(torch.tanh(self.body(x)))

class Joined(Forgotten):
    pass

class Measured(Forgotten):
    pass

torch.manual_seed(0)
nets = [kind() for kind in {kinds}]
for net in nets:
    net.body.requires_grad_(False)
opts = [torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.05) for net in nets]
x = torch.randn(16, 3)
for step in range(60):
    for net, opt in zip(nets, opts):
        kind = type(net).__name__
        if step == 11 and kind != "Measured":
            net.body.requires_grad_(True)
            if kind == "Joined":
                opt.add_param_group({{"params": net.body.parameters()}})
        loss = ((net(x) - x[:, :1] ** 2) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if kind == "Measured" and step % 5 == 2:
            # A look at the gradient of what stays frozen.
            net.body.requires_grad_(True)
            ((net(x) - x[:, :1] ** 2) ** 2).mean().backward()
            net.body.requires_grad_(False)
"""


def told(folder: Path, *kinds: str, change: str = "") -> recording.Recording:
    (folder / "train.py").write_text(PROGRAM.format(kinds=f"({', '.join(kinds)},)"))
    (folder / "rec").mkdir()
    changes: list[list[str]] = []
    if change:
        import stetho.interventions.optimize_all as made

        changes = [["optimize-all", "", made.__file__]]
    plan = {"recording": str(folder / "rec"), "seed": None, "steps": None, "changes": changes, "trace": [[0, 3]]}
    (folder / "plan.json").write_text(json.dumps(plan))
    variables = {"STETHO_PLAN": str(folder / "plan.json"), "PYTHONPATH": str(INJECT)}
    done = subprocess.run(
        [sys.executable, "train.py"], capture_output=True, text=True, cwd=folder,
        env={**environment(), **variables}, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = recording.read(folder / "rec")
    assert not found.faults
    return found


def test_what_is_thawed_and_held_by_no_optimizer_is_left_out(tmp_path: Path) -> None:
    found = told(tmp_path, "Forgotten")
    ((fact, _),) = coverage(found)
    assert isinstance(fact, Coverage)
    assert (fact.left_out, fact.reached) == (16, 21) and not fact.loaded
    assert set(fact.names) == {"Forgotten.body.weight", "Forgotten.body.bias"}
    assert fact.thawed_at is not None and 11 <= fact.thawed_at <= 16
    assert {place.key for place in fact.covering} == {"net"}


@pytest.mark.parametrize("kind", ["Joined", "Measured"])
def test_what_joins_an_optimizer_or_stays_frozen_while_training_is_not(kind: str, tmp_path: Path) -> None:
    ((fact, _),) = coverage(told(tmp_path, kind))
    assert isinstance(fact, Coverage)
    assert (fact.left_out, fact.thawed_at) == (0, None)


def test_the_change_hands_it_over_once_it_has_a_gradient(tmp_path: Path) -> None:
    found = told(tmp_path, "Forgotten", change="optimize-all")
    assert found.applied.count == 2 and found.applied.verified == 2
    ((fact, _),) = coverage(found)
    assert isinstance(fact, Coverage) and fact.left_out == 0

"""Changes that only stetho itself asks for: what each does to a small program, and when it says that it did nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stetho import catalogue, recording
from stetho.executors import local
from stetho.experiment import Bound, Job
from stetho.proof import why_not_applied

HEAD = """
import json, torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
X = torch.randn(64, 6); Y = (X @ torch.randn(6, 3)).argmax(1)
"""


def under(tmp_path: Path, change: str, program: str) -> tuple[dict[str, float], str]:
    """What a program prints last under a change, and why that is no evidence, if so; no change where there is none."""
    (tmp_path / "train.py").write_text(HEAD + program)
    name, _, value = change.partition("=")
    changes = ((name, value, catalogue.load().interventions[name].path),) if change else ()
    ran = local.run(Job((sys.executable, "train.py"), str(tmp_path), 0, Bound(120.0, None), changes=changes))
    try:
        output = ran.output.read_text(errors="replace")
        assert ran.code == 0, output
        return json.loads(output.splitlines()[-1]), why_not_applied(recording.read(ran.recording))
    finally:
        ran.discard()


HALF = """
net = nn.Linear(6, 3).to(torch.{kind})
first = net.weight.detach().clone()
sgd = torch.optim.SGD(net.parameters(), lr={rate})
for _ in range(40):
    loss = F.cross_entropy(net(X.to(torch.{kind})).float(), Y)
    sgd.zero_grad(); loss.backward(); sgd.step()
print(json.dumps({{"moved": float((net.weight.detach() != first).float().mean()), "type": str(net.weight.dtype)}}))
"""


def test_a_copy_in_single_precision_keeps_what_is_rounded_away(tmp_path: Path) -> None:
    program = HALF.format(kind="bfloat16", rate=2e-3)
    (plain, _), (kept, why_not) = under(tmp_path, "", program), under(tmp_path, "whole-weights", program)
    assert why_not == ""
    assert kept["type"] == plain["type"] == "torch.bfloat16"
    assert kept["moved"] > plain["moved"] + 0.3


def test_weights_in_single_precision_need_no_copy(tmp_path: Path) -> None:
    assert under(tmp_path, "whole-weights", HALF.format(kind="float32", rate=2e-3))[1] != ""


DROPPING = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(6, 32), nn.Linear(32, 3)
    def forward(self, x):
        return self.two(F.dropout(F.relu(self.one(x)), 0.5{mode}))
net = Net(); sgd = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(10):
    net.train()
    loss = F.cross_entropy(net(X), Y)
    sgd.zero_grad(); loss.backward(); sgd.step()
    net.eval()
    with torch.no_grad():
        one, two = net(X), net(X)
print(json.dumps({{"same": float(torch.equal(one, two))}}))
"""


def test_functions_that_drop_whatever_the_mode_drop_nothing_in_evaluation(tmp_path: Path) -> None:
    program = DROPPING.format(mode="")
    assert under(tmp_path, "", program)[0]["same"] == 0
    found, why_not = under(tmp_path, "right-mode=evaluation", program)
    assert (found["same"], why_not) == (1, "")


def test_dropout_that_asks_for_the_mode_is_left_alone(tmp_path: Path) -> None:
    found, why_not = under(tmp_path, "right-mode=evaluation", DROPPING.format(mode=", self.training"))
    assert (found["same"], why_not) == (1, "the model is in the right mode already")


FROZEN_STATISTICS = """
net = nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 3)); net.eval()
adam = torch.optim.Adam(net.parameters(), lr=1e-2)
moved = []
for _ in range(60):
    before = net[1].weight.detach().clone()
    loss = F.cross_entropy(net(4000 * X), Y)
    adam.zero_grad(); loss.backward(); adam.step()
    moved.append(float((net[1].weight.detach() - before).abs().max()))
moment = float(adam.state[net[1].weight]["exp_avg_sq"].max())
print(json.dumps({"first": moved[0], "second": moved[1], "moment": moment}))
"""


def test_what_the_first_step_in_the_wrong_mode_makes_does_not_stay_in_the_moments(tmp_path: Path) -> None:
    (plain, _), (found, why_not) = (under(tmp_path, c, FROZEN_STATISTICS) for c in ("", "right-mode=training"))
    assert why_not == ""
    assert plain["first"] > 0 and plain["moment"] > 1
    assert found["first"] == 0 and found["second"] > 0
    assert found["moment"] < 1e-2


PADDED = """
net = nn.Linear(6, 8); sgd = torch.optim.SGD(net.parameters(), lr=0.2)
lengths = torch.randint(2, {most}, (64,))
target = torch.where(torch.arange(8)[None] < lengths[:, None], torch.tensor(3.0) + X[:, :1], torch.tensor(0.0))
for _ in range(200):
    loss = F.mse_loss(net(X), target)
    sgd.zero_grad(); loss.backward(); sgd.step()
print(json.dumps({{"second": float(net(X)[:, 1].mean()), "sixth": float(net(X)[:, 5].mean())}}))
"""


def test_padding_of_numbers_teaches_nothing(tmp_path: Path) -> None:
    program = PADDED.format(most=9)
    (plain, _), (changed, why_not) = under(tmp_path, "", program), under(tmp_path, "padding-left-out", program)
    assert why_not == ""
    assert changed["second"] == pytest.approx(3.0, abs=0.3)
    assert plain["sixth"] < 2.0 < changed["sixth"]


TAGGED = """
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.tag = nn.Embedding(20, 8), nn.Linear(8, 3)
    def forward(self, ids):
        return self.tag(self.words(ids))
net = Tagger(); sgd = torch.optim.SGD(net.parameters(), lr=0.5)
places = torch.arange(10)[None] >= torch.randint(2, 10, (64,))[:, None]
words = torch.where(places, torch.tensor(0), torch.randint(1, 20, (64, 10)))
tags = torch.where(places, torch.tensor({filling}), words % 3)
for _ in range(20):
    loss = F.cross_entropy(net(words).flatten(0, 1), tags.flatten())
    sgd.zero_grad(); loss.backward(); sgd.step()
slopes = net.words.weight.grad.abs().sum(dim=1)
print(json.dumps({{"filling": float(slopes[0]), "tag": int(slopes[3] > 0)}}))
"""


def test_tags_where_the_input_is_filled_up_teach_nothing(tmp_path: Path) -> None:
    program = TAGGED.format(filling=1)
    (plain, _), (changed, why_not) = under(tmp_path, "", program), under(tmp_path, "padding-left-out", program)
    assert why_not == ""
    assert plain["filling"] > 0 == changed["filling"] and changed["tag"] == 1


TASKS = """
net = nn.Linear(6, 4)
adam = torch.optim.Adam(net.parameters(), lr=0.01)
kinds, amounts = X[:, :3].argmax(dim=1), 40 * X[:, 3]
for _ in range({steps}):
    out = net(X)
    loss = {loss}
    adam.zero_grad(); loss.backward(); adam.step()
slopes = net.weight.grad.abs().sum(dim=1)
print(json.dumps({{"ratio": float(slopes[3] / slopes[:3].sum())}}))
"""


def test_losses_of_several_tasks_get_one_size(tmp_path: Path) -> None:
    both = "F.cross_entropy(out[:, :3], kinds) + F.mse_loss(out[:, 3], amounts)"
    program = TASKS.format(steps=3, loss=both)
    (plain, _), (changed, why_not) = under(tmp_path, "", program), under(tmp_path, "equal-terms", program)
    assert why_not == ""
    # What costs a thousand times as much has the larger gradient by far, until both have one part.
    assert plain["ratio"] > 30 * changed["ratio"]
    alone = TASKS.format(steps=2, loss="F.mse_loss(out[:, 3], amounts)")
    assert "not the same losses with targets" in under(tmp_path, "equal-terms", alone)[1]


SEQUENCE = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 1, 3, padding={padding!r}, bias=False)
    def forward(self, x):
        return self.conv(x)
net = Net(); sgd = torch.optim.SGD(net.parameters(), lr=0.01)
x = torch.randn(4, 1, 10)
for _ in range(5):
    loss = net(x).square().mean()
    sgd.zero_grad(); loss.backward(); sgd.step()
x = x.clone().requires_grad_()
net(x)[:, 0, 4].sum().backward()
print(json.dumps({{"ahead": float(x.grad[:, 0, 5:].abs().sum()), "behind": float(x.grad[:, 0, :4].abs().sum())}}))
"""


@pytest.mark.parametrize("padding", [1, "same"])
def test_a_convolution_that_is_padded_at_its_beginning_looks_at_nothing_later(tmp_path: Path, padding: object) -> None:
    program = SEQUENCE.format(padding=padding)
    assert under(tmp_path, "", program)[0]["ahead"] > 0
    found, why_not = under(tmp_path, "causal-mask", program)
    assert why_not == ""
    assert found["ahead"] == 0 < found["behind"]


EXTREME = """
net = nn.Linear(6, 1); sgd = torch.optim.SGD(net.parameters(), lr=0.01)
y = X[:, :1].clone(); y[7] = 5000.0
worst = 0.0
for step in range(60):
    rows = torch.arange(8) + 8 * (step % 8)
    loss = F.mse_loss(net(X[rows]), y[rows])
    worst = max(worst, float(loss)) if step >= 40 else 0.0
    sgd.zero_grad(); loss.backward(); sgd.step()
print(json.dumps({"worst": worst}))
"""


def test_extreme_targets_are_brought_back(tmp_path: Path) -> None:
    (plain, _), (changed, why_not) = under(tmp_path, "", EXTREME), under(tmp_path, "extremes-limited", EXTREME)
    assert why_not == ""
    assert changed["worst"] < plain["worst"] / 100


SAVED = """
net = nn.Linear(6, 3)
adam = torch.optim.Adam(net.parameters(), lr={rate})
falling = torch.optim.lr_scheduler.StepLR(adam, 2)
def train():
    for _ in range(5):
        loss = F.cross_entropy(net(X), Y)
        adam.zero_grad(); loss.backward(); adam.step(); falling.step()
if not {reads}:
    train()
    torch.save({{"net": net.state_dict(), "adam": adam.state_dict(), "falling": falling.state_dict()}}, "saved.pt")
else:
    found = torch.load("saved.pt")
    net.load_state_dict(found["net"])
    if {loads}:
        adam.load_state_dict(found["adam"])
        falling.load_state_dict(found["falling"])
    train()
print(json.dumps({{"weight": float(net.weight.double().abs().sum()), "rate": adam.param_groups[0]["lr"],
                  "steps": float(adam.state[net.weight]["step"]), "epoch": falling.last_epoch}}))
"""


def resumed(tmp_path: Path, change: str, loads: bool, rate: float = 0.02) -> tuple[dict[str, float], str]:
    # An observed run leaves no file behind.
    program = HEAD + SAVED.format(reads=False, loads=False, rate=0.02)
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True)
    return under(tmp_path, change, SAVED.format(reads=True, loads=loads, rate=rate))


def test_a_saved_state_gives_the_very_numbers_of_a_program_that_loads_it(tmp_path: Path) -> None:
    (ours, why), (theirs, _) = resumed(tmp_path, "saved-state", False), resumed(tmp_path, "", True)
    assert why == ""
    assert ours == theirs
    assert ours["steps"] == ours["epoch"] == 10


def test_a_state_that_is_loaded_already_is_left_alone(tmp_path: Path) -> None:
    assert "nothing was read that fits" in resumed(tmp_path, "saved-state", True)[1]


def test_an_optimizer_with_another_rate_is_not_the_one_that_was_saved(tmp_path: Path) -> None:
    assert "nothing was read that fits" in resumed(tmp_path, "saved-state", False, rate=0.003)[1]


SCORED = """
V, W = torch.randn(40, 6), torch.arange(40) % {kinds}
net = nn.Linear(6, {width})
sgd = torch.optim.SGD(net.parameters(), lr=0.01)
def loss_of(out, y):
    return {loss}
for epoch in range(3):
    net.train()
    sgd.zero_grad(); loss_of(net(X), Y % {kinds}).backward(); sgd.step()
    net.eval()
    right = 0.0
    with torch.no_grad():
        rows = {rows}
        for i in rows.split(8):
            out, y = net(V[i]), W[i]
            before = {score}
            loss_of(out, y)
            right += ({score} if {after} else before) * len(i) / len(rows)
print(json.dumps({{"score": right}}))
"""
ENTROPY = {"kinds": 3, "width": 3, "loss": "F.cross_entropy(out, y)", "rows": "torch.arange(40)", "after": True}
LOGITS = {**ENTROPY, "kinds": 2, "width": 1, "loss": "F.binary_cross_entropy_with_logits(out[:, 0], y.float())"}
RIGHT = "(out.argmax(1) == y).float().mean().item()"


@pytest.mark.parametrize(
    ("form", "score"),
    [
        (ENTROPY, RIGHT),
        ({**ENTROPY, "after": False}, RIGHT),
        ({**ENTROPY, "loss": "F.nll_loss(out.log_softmax(1), y)"}, RIGHT),
        (LOGITS, "((out[:, 0] > 0) == (y > 0)).float().mean().item()"),
        (LOGITS, "((out[:, 0].sigmoid() > 0.5) == (y > 0)).float().mean().item()"),
    ],
)
def test_a_score_that_is_right_is_perfect_when_every_answer_is(
    tmp_path: Path, form: dict[str, Any], score: str
) -> None:
    told, why = under(tmp_path, "perfect-answers", SCORED.format(**form, score=score))
    assert why == ""
    assert told["score"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("form", "score"),
    [
        (ENTROPY, "(out.argmax(1) == y.roll(1)).float().mean().item()"),
        (ENTROPY, "(out.argmax(1, keepdim=True) == y).float().mean().item()"),
        (LOGITS, "((out > 0) == (y > 0)).float().mean().item()"),
        (LOGITS, "((out[:, 0] > 0.5) == (y > 0)).float().mean().item()"),
    ],
)
def test_a_score_that_is_wrong_is_not(tmp_path: Path, form: dict[str, Any], score: str) -> None:
    told, why = under(tmp_path, "perfect-answers", SCORED.format(**form, score=score))
    assert why == ""
    assert told["score"] < 0.7


def test_answers_are_known_only_where_the_same_samples_come_again(tmp_path: Path) -> None:
    others = {**ENTROPY, "rows": "torch.arange(40)[epoch * 8 : epoch * 8 + 16]"}
    _, why = under(tmp_path, "perfect-answers", SCORED.format(**others, score=RIGHT))
    assert "samples that the first one did not have" in why

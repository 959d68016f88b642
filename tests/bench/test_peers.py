"""Other tools' rules fire where their documentation says so, and every peer answers in the form that is scored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bench.judge import injection
from bench.judge.peers import anomaly, peers, sagemaker
from bench.judge.peers.chance import answer as guess
from bench.judge.scoring import Scored
from bench.judge.subject import Subject

QUIET: dict[str, Any] = {
    "losses": [2.0 * 0.97**n for n in range(60)], "gradients": [0.1] * 60, "updates": [[1e-4, 1e-2]] * 60,
    "nonfinite": [False] * 60, "zero": [False] * 60, "unchanged": {"w": [0, 1]}, "inactive": {"r": [60, 6.0]},
    "saturated": {}, "variances": [0.1, 0.3], "labels": {"0": 50, "1": 40}, "steps": 60,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "fires"),
    [
        ({}, []),
        ({"nonfinite": [False, True]}, ["exploding_tensor"]),
        ({"gradients": [0.1, 1e-8]}, ["vanishing_gradient"]),
        ({"inactive": {"r": [10, 6.0]}}, ["dead_relu"]),
        ({"saturated": {"s": [10, 6.0]}}, ["saturated_activation"]),
        ({"variances": [0.001, 0.1]}, ["poor_weight_initialization"]),
        ({"updates": [[1e-4, 11.0]]}, ["weight_update_ratio_large"]),
        ({"updates": [[1e-9, 1e-2]]}, ["weight_update_ratio_small"]),
        ({"unchanged": {"w": [0, 3]}}, ["unchanged_tensor"]),
        ({"labels": {"0": 110, "1": 10}}, ["class_imbalance"]),
        ({"losses": [1.0] * 30}, ["loss_not_decreasing"]),
    ],
)
def test_a_rule_fires_where_its_documentation_says(change: dict[str, Any], fires: list[str]) -> None:
    assert [name for name, _ in sagemaker.alarms({**QUIET, **change})] == fires


def subject(folder: Path, text: str) -> Subject:
    (folder / "given").mkdir()
    (folder / "given" / "train.py").write_text(text)

    class Given(Subject):
        def lay(self, to: Path, seed: int = 0) -> None:
            to.mkdir(parents=True)
            (to / "train.py").write_text(text)

    return Given("x", "x", "case", "healthy", frozenset(), (), "test", "sliced", ("python", "train.py"), "d")


NAN = """import torch
w = torch.nn.Parameter(torch.zeros(3))
opt = torch.optim.SGD([w], lr=0.1)
for step in range(4):
    opt.zero_grad()
    loss = (torch.sqrt(w) * 0 + w).sum()
    loss.backward()
    opt.step()
print("done")
"""


def test_anomaly_mode_is_let_into_an_unmodified_program_and_names_line_and_operation(tmp_path: Path) -> None:
    found = anomaly.answer(subject(tmp_path, NAN), anomaly.version())
    assert (found.status, found.first[0]) == ("suspected", "num/sqrt-at-zero")
    assert ("train.py", 6) in [(place.file, place.line) for place in found.places]


def test_what_the_rules_read_is_saved_without_an_edit(tmp_path: Path) -> None:
    found = sagemaker.answer(subject(tmp_path, NAN), sagemaker.version())
    assert found.status == "suspected" and "exploding_tensor" in found.said


def test_a_program_is_as_it_was_when_another_tool_looks_into_it(tmp_path: Path) -> None:
    text = NAN.replace("torch.sqrt(w) * 0 + w", "(w - 1) ** 2") + "print(w.tolist())\n"
    plain = injection.run_with("anomaly.py", subject(tmp_path, text), tmp_path / "a", 120)
    saved = injection.run_with("tensors.py", subject(tmp_path / "a", text), tmp_path / "b", 120)
    assert plain.output == saved.output and plain.code == saved.code == 0


def test_every_peer_has_a_name_a_version_and_an_answer() -> None:
    found = peers()
    assert {"random", "majority", "detect_anomaly", "SageMaker Debugger rules", "TorchFix"} <= set(found)
    for peer in found.values():
        assert callable(peer.version) and callable(peer.answer) and peer.__doc__


def test_a_guess_is_scored_as_anything_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("bench.judge.peers.chance.shares", lambda: (("loss/wrong-sign", 0.6), ("none/healthy", 0.4)))
    one = subject(tmp_path, NAN)
    said = guess(one, "seed 0")
    assert said == guess(one, "seed 0")
    assert Scored(one, said).outcome in ("false alarm", "wrong claim", "clear")

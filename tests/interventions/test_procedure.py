"""A change gives the very numbers of a program that is written that way."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.interventions import exact

from stetho import catalogue, recording
from stetho.executors import local
from stetho.experiment import Bound, Job
from stetho.proof import why_not_applied

FILE = Path(exact.__file__)


def changed(tmp_path: Path, change: str | list[str], *arguments: str) -> tuple[list[float], str]:
    """The numbers of a training under a change, and why it is no evidence, if so."""
    changes = []
    for asked in [change] if isinstance(change, str) else change:
        name, _, value = asked.partition("=")
        one = catalogue.load().interventions[name]
        one.check(value)
        changes.append((name, value, one.path))
    command = (sys.executable, str(FILE), *arguments)
    ran = local.run(Job(command, str(tmp_path), 0, Bound(120.0, None), changes=tuple(changes)))
    try:
        output = ran.output.read_text(errors="replace")
        assert ran.code == 0, output
        return json.loads(output.splitlines()[-1]), why_not_applied(recording.read(ran.recording))
    finally:
        ran.discard()


SAME = [
    # The last number is drawn after the training: dropout that is off still draws its own.
    ("dropout=off", ("dropout", "0.3"), ("dropout", "0", "drawn"), slice(None)),
    ("warmup=4", ("stepping", "sgd", "0.1"), ("stepping", "sgd", "0.1", "0", "0", "warm"), slice(None)),
    ("constant-lr", ("stepping", "sgd", "0.1", "0.9", "0", "halved"), ("stepping", "sgd", "0.1", "0.9"), slice(None)),
    (
        "warm-restart=3",
        ("stepping", "sgd", "0.1", "0", "0", "halved"),
        ("stepping", "sgd", "0.1", "0", "0", "again"),
        slice(None),
    ),
    ("weight-decay=0", ("stepping", "AdamW", "0.01", "0", "0.5"), ("stepping", "AdamW", "0.01"), slice(None)),
    # A wrapper and the optimizer in it share their groups, and both step.
    (
        "lr=x3",
        ("stepping", "wrapped", "0.05", "0.9", "0.1"),
        ("stepping", "wrapped", "0.15", "0.9", "0.1"),
        slice(None),
    ),
    ("warmup=4", ("stepping", "wrapped", "0.1"), ("stepping", "wrapped", "0.1", "0", "0", "warm"), slice(None)),
    (
        "constant-lr",
        ("stepping", "wrapped", "0.1", "0.9", "0", "halved"),
        ("stepping", "wrapped", "0.1", "0.9"),
        slice(None),
    ),
    (
        "warm-restart=3",
        ("stepping", "wrapped", "0.1", "0", "0", "halved"),
        ("stepping", "wrapped", "0.1", "0", "0", "again"),
        slice(None),
    ),
    (
        "weight-decay=0",
        ("stepping", "wrapped", "0.1", "0.9", "0.5"),
        ("stepping", "wrapped", "0.1", "0.9"),
        slice(None),
    ),
    ("optimizer=sgd", ("stepping", "sgd", "0.1", "0.9", "0.1"), ("stepping", "sgd", "0.1"), slice(None)),
    (
        "optimizer=adam:0.01",
        ("stepping", "sgd", "0.5", "0.9", "0.1", "halved", "closure"),
        ("stepping", "Adam", "0.01", "0", "0", "halved"),
        slice(None),
    ),
    ("loss-term=1", ("terms", "all"), ("terms", "0"), slice(None)),
    (
        "keep-gradients",
        ("wiped", "none", "zero", "optimizer", "module"),
        ("wiped", "not", "not", "not", "not"),
        slice(None),
    ),
    ("keep-gradients", ("several", "none", "zero"), ("several", "kept", "kept"), slice(None)),
    # What a scaler leaves in the gradients is taken out within the step, or was taken out of zeros.
    ("keep-gradients", ("scaled", "fused", "wiped"), ("scaled", "plain"), slice(None)),
    ("keep-gradients", ("scaled", "wiped"), ("scaled", "plain"), slice(None)),
    ("mean-reduction", ("reduced", "sum"), ("reduced", "mean"), slice(None)),
    ("loss-shapes", ("shapes", "wrong"), ("shapes", "right"), slice(None)),
    ("balanced-loss", ("weighted", "not"), ("weighted", "weighted"), slice(None)),
    ("activation=leaky", ("activated", "relu", "inplace"), ("activated", "leaky"), slice(None)),
    # The mode is lent again for what backward computes again.
    ("eval-mode", ("recomputed", "train"), ("recomputed", "off eval"), slice(None)),
    ("train-all", ("thawed", "frozen"), ("thawed", "right"), slice(None)),
    ("checkpointing=on", ("statistics",), ("statistics",), slice(None)),
    ("derived-gradient=written.<locals>.Own", ("written", "wrong"), ("written", "right"), slice(None)),
    ("cut-history", ("remembered", "carried"), ("remembered", "detached"), slice(None)),
]


@pytest.mark.parametrize(
    ("change", "given", "meant", "part"), [pytest.param(*case, id=f"{case[0]} {case[1][-1]}") for case in SAME]
)
def test_a_change_equals_the_program_written_that_way(
    tmp_path: Path, change: str, given: tuple[str, ...], meant: tuple[str, ...], part: slice
) -> None:
    found, why_not = changed(tmp_path, change, *given)
    assert why_not == ""
    assert found[part] == pytest.approx(exact.called(*meant)[part], rel=1e-4, abs=1e-6)
    if given != meant:
        assert found[part] != pytest.approx(exact.called(*given)[part], rel=1e-4, abs=1e-6)


def test_double_precision_is_more_than_single(tmp_path: Path) -> None:
    found, _ = changed(tmp_path, "float64", "double", "single")
    assert found == pytest.approx(exact.called("double", "double"), rel=1e-10)


@pytest.mark.parametrize("how", [("fused",), ("plain",), ()])
def test_a_limit_is_that_of_gradients_without_their_scale(tmp_path: Path, how: tuple[str, ...]) -> None:
    found, why_not = changed(tmp_path, "clip=0.01", "scaled", *how)
    assert why_not == ""
    assert found == pytest.approx([0.01] * exact.STEPS, rel=1e-2)


def test_terms_beside_an_averaged_loss_would_weigh_more(tmp_path: Path) -> None:
    assert "other terms" in changed(tmp_path, "mean-reduction", "terms_beside", "own")[1]
    assert changed(tmp_path, "mean-reduction", "terms_beside", "summed")[1] == ""


def test_what_is_computed_again_is_in_double_precision(tmp_path: Path) -> None:
    found, why_not = changed(tmp_path, "float64", "recomputed", "eval")
    assert why_not == ""
    assert found == pytest.approx(exact.called("recomputed", "off eval double"), rel=1e-9)


def test_evaluation_mode_leaves_statistics_alone_and_puts_modes_back(tmp_path: Path) -> None:
    found, why_not = changed(tmp_path, "eval-mode", "modes", "train")
    plain = exact.called("modes", "train")
    assert why_not == ""
    assert found[exact.STEPS + 1] == 0 != plain[exact.STEPS + 1]
    assert found[exact.STEPS + 2 :] == plain[exact.STEPS + 2 :]


def test_a_model_that_stays_in_evaluation_mode_is_trained_in_training_mode(tmp_path: Path) -> None:
    """The first step shows that it is training; from the second on the statistics of its layers move."""
    found, why_not = changed(tmp_path, "right-mode", "modes", "always eval")
    plain = exact.called("modes", "always eval")
    assert why_not == ""
    assert found[0] == plain[0]
    assert all(a != pytest.approx(b, rel=1e-4) for a, b in zip(found[1:6], plain[1:6], strict=True))
    assert found[exact.STEPS + 1] != 0 == plain[exact.STEPS + 1]
    assert found[exact.STEPS + 2 :] == plain[exact.STEPS + 2 :]


def test_evaluation_without_no_grad_is_not_taken_for_training(tmp_path: Path) -> None:
    found, why_not = changed(tmp_path, "right-mode", "modes", "forgets")
    assert why_not == "the model is in the right mode already"
    assert found == pytest.approx(exact.called("modes", "forgets"), rel=1e-6)


@pytest.mark.parametrize("how", ["input", "target", "plain", "neither"])
def test_a_model_without_gradients_may_be_part_of_the_training(tmp_path: Path, how: str) -> None:
    why_not = changed(tmp_path, "right-mode", "idle", how)[1]
    assert why_not == ("" if how == "neither" else "a model called without gradients is part of the training")


def test_a_program_without_the_thing_says_so(tmp_path: Path) -> None:
    """Changes that find nothing to change can share a run."""
    reasons = {
        "dropout=off": "the model has no dropout",
        "constant-lr": "the learning rate is the same at every step",
        "keep-gradients": "the steps find their gradients",
        "loss-term=1": "the loss is a single term",
        "autocast=off": "the program does not use autocast",
        "compile=off": "the program compiles nothing",
        "checkpointing=off": "the program does not checkpoint activations",
        "mean-reduction": "no loss is summed over the batch",
    }
    _, why_not = changed(tmp_path, list(reasons), "stepping", "sgd", "0.1")
    assert set(why_not.split("; ")) == set(reasons.values())


@pytest.mark.parametrize(
    "program",
    [("several", "kept"), ("several", "attack"), ("several", "moved"), ("players", "in turn"), ("players", "together")],
)
def test_gradients_that_were_used_or_not_meant_for_a_step_are_not_given_back(
    tmp_path: Path, program: tuple[str, ...]
) -> None:
    found, why_not = changed(tmp_path, "keep-gradients", *program)
    assert why_not == "the steps find their gradients"
    assert found == exact.called(*program)


@pytest.mark.parametrize(("smoothing", "alters"), [("0.2", "loss"), ("0.0", "")])
def test_a_loss_without_its_smoothing_is_known_to_be_another_one(tmp_path: Path, smoothing: str, alters: str) -> None:
    (tmp_path / "train.py").write_text(
        "import torch\n"
        "net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Dropout(0.5))\n"
        "sgd = torch.optim.SGD(net.parameters(), 0.1)\n"
        "for _ in range(4):\n"
        "    loss = torch.nn.functional.cross_entropy(\n"
        f"        net(torch.randn(8, 4)), torch.arange(8) % 3, label_smoothing={smoothing})\n"
        "    sgd.zero_grad(); loss.backward(); sgd.step()\n"
    )
    change = ("no-regularisation", "", catalogue.load().interventions["no-regularisation"].path)
    ran = local.run(Job((sys.executable, "train.py"), str(tmp_path), 0, Bound(120.0, None), changes=(change,)))
    try:
        record = recording.read(ran.recording)
    finally:
        ran.discard()
    assert not why_not_applied(record)
    assert record.applied.alters == alters

"""Two recordings beside each other: the first thing that differs is named, and not what follows from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from measure.lines import line, read, steps
from stetho.evidence import Place
from stetho.facts import PathPart
from stetho.regression.alignment import along
from stetho.regression.runs import alters, nearer
from stetho.regression.surroundings import keys_of
from stetho.regression.track import Track

LOSSES = [2.0, 1.5, 1.2, 1.1]
NAMES = line("parameters", o=0, names=["w", "b"], shapes=[[4, 2], [4]], devices=["cpu", "cpu"])
CALL = {"fn": "mse_loss", "site": 0, "grad": True, "shape": [8, 4], "dtype": "float32", "tshape": [8, 4]}
USUAL: dict[str, Any] = {
    "losses": LOSSES, "w0": [1.0, 2.0], "labels": [0, 1], "h": ["aa", "bb"], "high": 1.0, "ur": 0.1, "more": {},
}  # fmt: skip


def sample(step: int, update: float = 0.1, **more: object) -> str:
    return line("sample", o=0, i=step, g=[1.0, 1.0], u=[update, update], ur=update, **more)


def run(folder: Path, name: str, **differs: object) -> Track:
    """A run of four steps; what is given is put in the place of the usual."""
    (folder / name).mkdir()
    usual = {
        "losses": LOSSES,
        "w0": [1.0, 2.0],
        "labels": [0, 1],
        "h": ["aa", "bb"],
        "high": 1.0,
        "ur": 0.1,
        "more": {},
    }
    one = {**usual, **differs}
    return Track(
        read(
            folder / name,
            NAMES,
            line("seeded", what="torch", value=one.get("seed", 0), site=0, step=0),
            line("batch", step=0, phase="train", h=one["h"], labels=one["labels"]),
            line("loss-call", step=0, **{**CALL, "low": 0.0, "high": one["high"], "tlow": 0.0, "thigh": 1.0}),
            sample(0, float(one["ur"]), w0=one["w0"]),
            steps(0, list(one["losses"]), **one["more"]),
        )
    )


def first(parts: list[PathPart]) -> tuple[str, int | None, str]:
    found = next(one for one in parts if one.state == "differs")
    return found.part, found.step, found.told


@pytest.mark.parametrize(
    ("differs", "part", "step", "told"),
    [
        ({"seed": 1, "w0": [1.1, 2.0]}, "seeds", None, "torch 0 → 1"),
        (
            {"w0": [1.0, 2.5], "losses": [3.0] * 4},
            "initial weights",
            None,
            "1 of 2 parameters begin elsewhere, b first",
        ),
        ({"h": ["bb", "aa"], "high": 2.0}, "inputs", 0, "the same samples in another order"),
        ({"h": ["aa", "cc"]}, "inputs", 0, "1 of 2 samples are others"),
        ({"h": ["aa", "bb", "cc"]}, "inputs", 0, "2 samples → 3"),
        ({"labels": [0, 2], "losses": [9.0] * 4}, "targets", 0, "1 of 2 are others, 1 → 2 first"),
        ({"high": 2.0, "losses": [9.0] * 4}, "outputs", 0, "1 → 2"),
        ({"losses": [9.0] * 4, "more": {"g": [7.0] * 4}}, "loss", 0, "2 → 9"),
        ({"more": {"g": [7.0] * 4}}, "gradients", 0, "1 → 7"),
        ({"more": {"lr": [[9.0]]}, "ur": 9.0, "losses": [2.0, 5.0, 9.0, 30.0]}, "learning rate", 0, "0.1 → 9"),
        ({"ur": 0.2, "losses": [2.0, 5.0, 9.0, 30.0]}, "updates", 0, "0.1 → 0.2"),
        (
            {"more": {"order": ["fbs"], "g": [1.0, 2.0, 3.0, 4.0]}},
            "loop order",
            0,
            "zero_grad, forward, backward, step → forward, backward, step",
        ),
        ({"losses": [2.0, 1.5, 1.3, 1.0]}, "loss", 2, "1.2 → 1.3"),
    ],
)
def test_the_first_difference(
    tmp_path: Path, differs: dict[str, object], part: str, step: int | None, told: str
) -> None:
    parts = list(along(run(tmp_path, "good"), run(tmp_path, "bad", **differs)))
    found = first(parts)
    assert found[:2] == (part, step) and found[2].startswith(told)
    assert len({one.part for one in parts}) == len(parts)


def test_two_runs_that_are_alike_differ_in_nothing(tmp_path: Path) -> None:
    parts = list(along(run(tmp_path, "good"), run(tmp_path, "bad", losses=[v * (1 + 1e-9) for v in LOSSES])))
    assert [one.part for one in parts if one.state != "same"] == []


def test_places_are_those_of_the_failing_run(tmp_path: Path) -> None:
    parts = {one.part: one for one in along(run(tmp_path, "good"), run(tmp_path, "bad", losses=[9.0] * 4))}
    assert parts["loss"].where == Place("/w/train.py", 9)


def test_numbers_of_other_random_ones_are_not_compared(tmp_path: Path) -> None:
    bad = run(tmp_path, "bad", w0=[5.0, 5.0], losses=[9.0] * 4, more={"lr": [[0.5]]})
    parts = {one.part: one for one in along(run(tmp_path, "good"), bad, "other seeds")}
    assert parts["loss"] == PathPart("loss", "unknown", "other seeds")
    assert parts["initial weights"].state == "unknown" and parts["learning rate"].told == "0.1 → 0.5"


def test_what_an_earlier_observer_has_not_recorded_is_unknown(tmp_path: Path) -> None:
    parts = {one.part: one for one in along(run(tmp_path, "good", w0=[]), run(tmp_path, "bad"))}
    assert parts["initial weights"] == PathPart("initial weights", "unknown", "not recorded")
    empty = Track(read_empty(tmp_path))
    states = {one.state for one in along(run(tmp_path, "other"), empty) if one.part != "optimizer"}
    assert states == {"unknown"}


def read_empty(folder: Path):
    (folder / "empty").mkdir()
    return read(folder / "empty")


def test_a_loss_that_is_another_one_is_not_compared_by_its_level(tmp_path: Path) -> None:
    good = run(tmp_path, "good")
    assert alters(list(along(good, run(tmp_path, "a", losses=[64.0] * 4)))) == "loss"
    assert alters(list(along(good, run(tmp_path, "b", h=["cc", "dd"], losses=[3.0] * 4)))) == "data"
    assert alters(list(along(good, run(tmp_path, "c", high=2.0, losses=[3.0] * 4)))) == ""
    assert alters(list(along(good, run(tmp_path, "d", losses=[2.0, 9.0, 9.0, 9.0])))) == ""


def test_levels_are_near_by_factors() -> None:
    assert nearer(1e4, 0.3, 0.1) is True and nearer(1e4, 900.0, 0.1) is False
    assert nearer(float("nan"), 1.0, 0.1) is None and nearer(1.0, None, 0.1) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"lr": 0.1, "model": {"width": 3}}'),
        ("a.yaml", "lr: 0.1\nmodel:\n  width: 3\n"),
        ("a.toml", "lr = 0.1\n[model]\nwidth = 3\n"),
    ],
)
def test_keys_of_configurations(name: str, text: str) -> None:
    assert {key: value for key, (value, _) in keys_of(name, text.encode()).items()} == {"lr": "0.1", "model.width": "3"}
    assert keys_of(name, None) == {} and keys_of("a.toml", b"= broken") == {}

"""Outputs and targets get one shape, and sums become means, where a line says which of the two is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho.evidence import Place
from stetho.facts import LossInput, LossInputs, Meeting, PlainLoss
from stetho.fixes import Grounds, cures


def after(folder: Path, cause: str, text: str, fact: LossInputs | PlainLoss) -> list[str]:
    (folder / "train.py").write_text(text, encoding="utf-8")
    found = cures(cause, Grounds({type(fact): fact}, ("python", "train.py"), str(folder)))
    return [edit.after for cure in found for edit in cure.edits]


def called(folder: Path, shape: tuple[int, ...], target: tuple[int, ...], reduction: str = "mean") -> LossInputs:
    where = Place(str(folder / "train.py"), 1)
    stretched = 9 if shape != target else 0
    site = LossInput(
        "mse_loss", where, 9, 0, shape=shape, target_shape=target, broadcast=stretched, reduction=reduction
    )
    return LossInputs((site,))


def met(folder: Path, shape: tuple[int, ...], data: tuple[int, ...], *, left: bool = True) -> PlainLoss:
    where = Place(str(folder / "train.py"), 1)
    return PlainLoss((Meeting("sub", where, 5, shape, data, result_shape=(32, 32), left=left),))


def test_the_longer_argument_of_a_loss_loses_its_last_axis(tmp_path: Path) -> None:
    text = "loss = F.mse_loss(net(x), y)\n"
    assert after(tmp_path, "loss/silent-broadcast", text, called(tmp_path, (32, 1), (32,))) == [
        "loss = F.mse_loss(net(x).squeeze(-1), y)\n"
    ]
    assert after(tmp_path, "loss/silent-broadcast", text, called(tmp_path, (32,), (32, 1))) == [
        "loss = F.mse_loss(net(x), y.squeeze(-1))\n"
    ]


@pytest.mark.parametrize(("left", "expected"), [(True, "d = p.squeeze(-1) - y\n"), (False, "d = p - y.squeeze(-1)\n")])
def test_the_side_that_was_seen_is_the_one_that_is_changed(tmp_path: Path, left: bool, expected: str) -> None:
    assert after(tmp_path, "loss/silent-broadcast", "d = p - y\n", met(tmp_path, (32, 1), (32,), left=left)) == [
        expected
    ]


def test_nothing_is_guessed(tmp_path: Path) -> None:
    cause = "loss/silent-broadcast"
    assert after(tmp_path, cause, "d = (p - y) * (a - b)\n", met(tmp_path, (32, 1), (32,))) == []
    assert after(tmp_path, cause, "d = p - y\n", met(tmp_path, (32, 1, 5), (32, 5))) == []
    assert after(tmp_path, cause, "loss = F.mse_loss(*pair)\n", called(tmp_path, (32, 1), (32,))) == []


def test_a_sum_becomes_a_mean_where_it_is_said(tmp_path: Path) -> None:
    summed = called(tmp_path, (32,), (32,), "sum")
    text = 'loss = F.mse_loss(p, y, reduction="sum")\n'
    assert after(tmp_path, "loss/wrong-reduction", text, summed) == [text.replace("sum", "mean")]
    text = "loss = criterion(p, y)\ncriterion = nn.MSELoss(reduction='sum')\n"
    assert after(tmp_path, "loss/wrong-reduction", text, summed) == [text.replace("'sum'", '"mean"')]
    text += "other = nn.MSELoss(reduction='sum')\n"
    assert after(tmp_path, "loss/wrong-reduction", text, summed) == []

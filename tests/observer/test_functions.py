"""Gradients that are written by hand are held against the slope, and those that are meant to differ are left alone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stetho import measure, recording
from stetho.executors import local
from stetho.experiment import Bound, Job
from stetho.facts import HandGradient, HandGradients

PROGRAM = Path(__file__).parent / "functions" / "train.py"
SAYS = {
    "right": "right", "relu": "right", "random": "right", "sign": "wrong", "factor": "wrong", "mask": "wrong",
    "sign stand-in": "stand-in", "clamp stand-in": "stand-in", "reversed": "identity", "clock": "unknown",
}  # fmt: skip


def found(how: str, folder: Path) -> HandGradient:
    ran = local.run(Job((sys.executable, str(PROGRAM), how), str(folder), 0, Bound(120.0, None)))
    try:
        record = recording.read(ran.recording)
        assert not record.faults and ran.code == 0, ran.output.read_text()
        (fact,) = [f for f, _ in measure.facts(record) if isinstance(f, HandGradients)]
        (one,) = fact.functions
        return one
    finally:
        ran.discard()


@pytest.mark.parametrize("how", SAYS)
def test_what_a_gradient_is(how: str, tmp_path: Path) -> None:
    one = found(how, tmp_path)
    assert one.says == SAYS[how] and one.name == "Own"
    if how == "factor":
        assert one.ratio == pytest.approx(1 / 3, rel=1e-3)
    if how == "sign":
        assert one.ratio == pytest.approx(-1.0, rel=1e-3)
        lines = PROGRAM.read_text().splitlines()
        assert one.where is not None and "staticmethod" in lines[one.where.line - 1] + lines[one.where.line - 2]

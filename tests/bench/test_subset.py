"""A few programs of every kind through `stetho why`: one false alarm or one wrong claim fails the build.

Healthy ones of the tune side only: what fails here may be looked at. All others are judged by `make scoreboard`.
"""

from __future__ import annotations

import pytest
from bench.judge import stetho
from bench.judge.scoring import Scored
from bench.judge.subject import Subject, of_side, subjects

# So many of each kind, and as many styles as there are; those of tests/test_why.py come on top.
CASES, PRESERVING = 3, 3


def picked() -> list[Subject]:
    """The first ones by name of as many styles as possible."""
    healthy = sorted((one for one in of_side(subjects().values(), "tune") if one.healthy), key=lambda one: one.id)
    found: list[Subject] = []
    for kind, count in (("case", CASES), ("preserving", PRESERVING)):
        held = [one for one in healthy if one.kind == kind]
        styles = dict.fromkeys(one.style for one in held)
        firsts = [next(one for one in held if one.style == style) for style in styles]
        found += firsts[:count]
    return found


@pytest.mark.parametrize("subject", [pytest.param(one, id=one.id) for one in picked()])
def test_a_healthy_program_raises_no_alarm(subject: Subject) -> None:
    row = Scored(subject, stetho.answer(subject, stetho.version()))
    assert row.outcome == "clear", f"{row.outcome}: {row.answer.claim or row.answer.status} {row.answer.ranking[:3]}"

"""Whether a planted fault shows, on made-up runs."""

from __future__ import annotations

import pytest
from bench.judge.case import Measure
from bench.judge.mutate import judgement
from bench.judge.mutate.judgement import Level, shown
from bench.judge.running import Ran

HIGHER = Measure(r"acc (\S+)", "higher", 0.8)
LEVEL = Level((0.90, 0.92, 0.91), 5.0, 400.0)


def ran(text: str, code: int | None = 0, **more: float) -> Ran:
    return Ran(text, code, 5.0, more.get("processor", 5.0), more.get("peak", 400.0))


@pytest.mark.parametrize(
    ("kind", "text", "code", "said"),
    [
        ("worse", "acc 0.50", 0, "visible"),
        ("worse", "acc 0.88", 0, "silent"),
        ("worse", "acc nan", 0, "visible"),
        ("worse", "acc 0.999", 0, "broken"),
        ("worse", "nothing", 0, "broken"),
        ("worse", "acc 0.9", None, "broken"),
        ("worse", "Traceback\n  line 3\nNameError: name 'x' is not defined", 1, "broken"),
        ("worse", "Traceback\n  line 3\nRuntimeError: shapes do not match", 1, "broken"),
        ("worse", "Traceback\n  line 3\nValueError: found invalid values: nan", 1, "visible"),
        ("fails", "Traceback\n  line 3\nIndexError: Target 9 is out of bounds.", 1, "visible"),
        ("better", "acc 0.999", 0, "visible"),
        ("better", "acc 0.50", 0, "broken"),
        ("none", "acc 0.81", 0, "visible"),
        ("none", "acc 0.70", 0, "broken"),
    ],
)
def test_what_a_run_shows(kind: str, text: str, code: int | None, said: str) -> None:
    assert shown(kind, HIGHER, LEVEL, ran(text, code), 0)[0] == said


def test_a_slow_run_shows_by_its_time_or_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgement, "least_memory", lambda: 300.0)
    assert shown("slow", HIGHER, LEVEL, ran("acc 0.9", processor=9.0), 0)[0] == "visible"
    assert shown("slow", HIGHER, LEVEL, ran("acc 0.9", peak=700.0), 0)[0] == "visible"
    assert shown("slow", HIGHER, LEVEL, ran("acc 0.9"), 0)[0] == "silent"

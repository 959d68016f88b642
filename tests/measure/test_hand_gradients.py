"""Gradients written by hand, as they are read from a recording."""

from __future__ import annotations

from pathlib import Path

from stetho.facts import HandGradients

from .lines import fact, line, read, summary, told

WRONG = {"name": "Own", "path": "Own", "site": 0, "says": "wrong", "error": 0.5, "places": 9, "off": 8}


def test_the_most_wrong_of_several_calls_counts(tmp_path: Path) -> None:
    events = [
        line("hand-gradient", **{**WRONG, **more}) for more in ({"says": "right"}, {}, {"error": 0.9, "input": 1})
    ]
    (one,) = fact(HandGradients, read(tmp_path, *events)).functions
    assert (one.says, one.error, one.input) == ("wrong", 0.9, 1) and one.where is not None
    assert "that of Own is not the slope" in summary(HandGradients, read(tmp_path, *events))


def test_one_call_that_shows_a_purpose_is_enough(tmp_path: Path) -> None:
    events = [line("hand-gradient", **WRONG), line("hand-gradient", **{**WRONG, "says": "stand-in"})]
    (one,) = fact(HandGradients, read(tmp_path, *events)).functions
    assert one.says == "stand-in"


def test_without_functions_there_is_no_fact(tmp_path: Path) -> None:
    assert HandGradients not in told(read(tmp_path, line("hand-gradient", name="Own", says="odd")))

"""Graphs of earlier steps, as they are read from a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stetho.facts import KeptGraphs, RefusedBackward

from .lines import fact, line, read, told

SEEN = (0, 1, 2, 5, 10, 20)


def graph(step: int, **more: Any) -> str:
    body = {"step": step, "leaves": 4, "nodes": 10, "retain": False, "carried": 0, "held": 0, "marked": 0, **more}
    return line("graph", **body)


def test_of_several_backwards_the_largest_graph_counts(tmp_path: Path) -> None:
    events = [graph(i, nodes=10 + i, carried=i, resident=5) for i in SEEN] + [graph(20, nodes=3, resident=5)]
    kept = fact(KeptGraphs, read(tmp_path, *events))
    assert kept.steps == SEEN and kept.nodes[-1] == 30 and kept.carried == SEEN and kept.resident == (5,) * 6


def test_lines_and_names_are_told(tmp_path: Path) -> None:
    events = [graph(i, entered=0, holders=[["total", 0]] if i == 5 else None) for i in SEEN]
    kept = fact(KeptGraphs, read(tmp_path, *events))
    assert [one.name for one in kept.holders] == ["total"] and kept.holders[0].where == kept.entered[0]


def test_few_looks_and_old_recordings_tell_nothing(tmp_path: Path) -> None:
    assert KeptGraphs not in told(read(tmp_path, *(graph(i) for i in SEEN[:4])))
    assert KeptGraphs not in told(read(tmp_path, *(line("graph", step=i, leaves=1, nodes=2) for i in SEEN)))


def test_the_last_backward_that_failed(tmp_path: Path) -> None:
    events = [line("refused", step=s, nodes=9, carried=s, site=0) for s in (0, 1)] + [line("refused", step=4)]
    refused = fact(RefusedBackward, read(tmp_path, *events))
    assert (refused.step, refused.carried) == (1, 1) and refused.entered

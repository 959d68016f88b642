"""A run that was stopped and did nothing any more is told from one that was still at work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stetho.evidence import Place
from stetho.standstill import standstill

IDLE = {"watched": 10.0, "used": 0.02, "steps": 0, "since": 30.0, "taken": 100, "seconds": 40.0}
STACKS = """Timeout (0:00:34)!
Thread 0x01 (most recent call first):
  File "/usr/lib/python3/threading.py", line 90 in run

Thread 0x02 (most recent call first):
  File "/usr/lib/python3/queue.py", line 171 in get
  File "/w/train.py", line 12 in next_batch
  File "/w/train.py", line 30 in <module>
"""


def seen(folder: Path, **changed: float) -> Path:
    (folder / "idle.json").write_text(json.dumps({**IDLE, **changed}))
    (folder / "stacks-7.txt").write_text(STACKS)
    return folder


def own(file: str) -> str | None:
    return file.removeprefix("/w/") if file.startswith("/w/") else None


def test_who_waits_is_named_with_the_line(tmp_path: Path) -> None:
    found = standstill(seen(tmp_path), own)
    assert found is not None
    fact, told = found
    assert (fact.idle, fact.active, fact.silent, fact.watched, fact.usual) == (1, 0, 30.0, 10.0, 0.1)
    assert (fact.waits_in, fact.where) == ("get", (Place("train.py", 12), Place("train.py", 30)))
    assert "no step for the last 30 s" in told


@pytest.mark.parametrize("changed", [{"used": 8.0}, {"steps": 3}, {"watched": 0.0}])
def test_who_works_or_was_not_watched_does_not_stand_still(tmp_path: Path, changed: dict[str, float]) -> None:
    assert standstill(seen(tmp_path, **changed), own) is None


def test_nothing_was_left(tmp_path: Path) -> None:
    assert standstill(tmp_path, own) is None

"""A run that was stopped at its time limit and did nothing any more: what was seen of it from outside."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from stetho.evidence import Place
from stetho.facts import Standstill
from stetho.isolation.idleness import FILE

# Processor time that a process which only waits may use, as a share of one core.
NOTHING = 0.02
FRAME = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<function>.+)$')


def standstill(folder: Path, own: Callable[[str], str | None]) -> tuple[Standstill, str] | None:
    """The fact, and a sentence that says it; `own` gives the user's path of a file, or None for a library's."""
    try:
        seen = json.loads((folder / FILE).read_text())
        watched, used, steps = float(seen["watched"]), float(seen["used"]), int(seen["steps"])
        since, taken, seconds = float(seen["since"]), int(seen["taken"]), float(seen["seconds"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if steps or watched <= 0 or used > NOTHING * watched:
        return None
    stacks = [frames for file in sorted(folder.glob("stacks-*.txt")) if (frames := main_thread(file))]
    places = [Place(path, line) for frames in stacks for file, line, _ in frames if (path := own(file)) is not None]
    inside = stacks[0][0][2] if stacks else ""
    usual = (seconds - since) / taken if taken else None
    fact = Standstill(
        idle=max(1, len(stacks)), silent=since, usual=usual, step=taken or None,
        where=tuple(dict.fromkeys(places)), watched=watched, waits_in=inside,
    )  # fmt: skip
    where = f", in {inside}" if inside else ""
    return fact, f"no step for the last {since:.0f} s, and {used:.2g} s of processor time in {watched:.0f} s{where}"


def main_thread(file: Path) -> list[tuple[str, int, str]]:
    """The frames of the main thread, innermost first: Python writes it last."""
    try:
        text = file.read_text(errors="replace")
    except OSError:
        return []
    last = text.rpartition("(most recent call first):\n")[2]
    found = [FRAME.match(line) for line in last.splitlines()]
    return [(m["file"], int(m["line"]), m["function"]) for m in found if m is not None]

"""How many steps a run was to take, where the lines that count them do not say: by its first words or its settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from stetho.facts import ConfigValue, Progress
from stetho.logged.ending import Told
from stetho.series import Series

NAME = (
    r"(?:total|max|num|n|train(?:ing)?)[ _-]?(?:(?:train(?:ing)?|optimi[sz]ation|optimizer|global)[ _-]?)?"
    r"(?:steps|iters|iterations|updates)"
)
SAID = re.compile(rf"(?i)(?<![a-z0-9]){NAME}['\"]?\s{{0,2}}(?:[=:]\s{{0,3}}|\s)(\d[\d,_]{{0,14}})(?![\d.])".encode())
KEY = re.compile(rf"(?i)(?:^|[._/-]){NAME}$")
FIRST = 32 * 1024


def with_plan(told: Sequence[Told], settings: Iterable[ConfigValue], series: Sequence[Series]) -> list[Told]:
    """The readings, how far each log came with what it was to come to."""
    set_to = [int(one.number) for one in settings if one.number is not None and KEY.search(one.key)]
    found = []
    for one in told:
        fact = one.reading.fact
        if isinstance(fact, Progress) and fact.total is None and fact.step is not None:
            said = SAID.search(one.artifact.head[:FIRST])
            total = int(said[1].translate(None, b",_") or b"0") if said is not None else next(iter(set_to), 0)
            if total > fact.step + 1.5 * interval(one.artifact.name, series):
                one = replace(one, reading=replace(one.reading, fact=replace(fact, total=total)))
        found.append(one)
    return found


def interval(file: str, series: Sequence[Series]) -> float:
    """The usual distance of two points of a log: the last one may come so long before the end."""
    steps = [one.steps for one in series if one.file == file and one.steps is not None and len(one) > 2]
    return float(np.median(np.abs(np.diff(max(steps, key=len))))) if steps else 0.0

"""Cures in code, config or command, one cause per file: each yields edits to be tried, likeliest first."""

from __future__ import annotations

import difflib
import importlib
import os
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import TypeVar

from stetho.evidence import Place
from stetho.experiment import Edit, Experiment
from stetho.facts import Fact
from stetho.source.code import lines_of

F = TypeVar("F", bound=Fact)


@dataclass(frozen=True)
class Grounds:
    """What a cure may look at: the facts of the base run, the command, and the experiments so far."""

    facts: Mapping[type[Fact], Fact]
    command: tuple[str, ...]
    cwd: str
    experiments: Sequence[Experiment] = ()

    def get(self, kind: type[F]) -> F | None:
        found = self.facts.get(kind)
        return found if isinstance(found, kind) else None


@dataclass(frozen=True)
class Cure:
    """One candidate: what it changes and where a person would look."""

    summary: str
    edits: tuple[Edit, ...] = ()
    command: tuple[str, ...] | None = None
    where: tuple[Place, ...] = ()
    scales_rate: float | None = None
    """The factor by which the rate in force must have changed, at its start and at its highest, to count as applied."""
    scales_decay: float | None = None
    """The same for the weight decay; the rate must then be as it was."""
    kind: str = field(default="code")
    alters: str = ""
    """By what it is judged, in the words of an intervention; empty leaves it to the cause's control."""


@cache
def _by_cause() -> dict[str, list[ModuleType]]:
    found: dict[str, list[ModuleType]] = {}
    for info in pkgutil.iter_modules(__path__, __name__ + "."):
        module = importlib.import_module(info.name)
        for cause in getattr(module, "CURES", ()):
            found.setdefault(cause, []).append(module)
    return found


def cured() -> frozenset[str]:
    """The causes that an edit can be written for."""
    return frozenset(_by_cause())


def cures(cause: str, grounds: Grounds) -> Iterator[Cure]:
    """The cures that can be written for a cause here; none when it has none."""
    seen = set()
    # Where several files cure one cause, those that change data come first: what is wrong in a file is shown by it.
    for module in sorted(_by_cause().get(cause, ()), key=lambda one: not getattr(one, "DATA", False)):
        for cure in module.candidates(cause, grounds):
            key = (tuple((e.file, e.after) for e in cure.edits), cure.command)
            if key not in seen:
                seen.add(key)
                yield cure


def _binary(text: str) -> bool:
    """Whether a text is the bytes of a file that is none, which no diff can show."""
    return "\0" in text[:65536] or any("\udc80" <= letter <= "\udcff" for letter in text[:4096])


def edit(file: str, before: str, after: str, line: int, why: str) -> Edit:
    return Edit(file, before, after, line, why)


def diff(edits: Sequence[Edit], cwd: str) -> str:
    """A unified diff that `patch -p1` takes in the working directory."""
    text = []
    for one in edits:
        name = os.path.relpath(one.file, cwd)
        if one.removed or _binary(one.before) or _binary(one.after):
            text.append(f"{'remove' if one.removed else 'change'} {name}: {one.why}\n")
            continue
        before, after = lines_of(one.before), lines_of(one.after)
        text += list(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in text)

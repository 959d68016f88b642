"""Finds every declaration by folder and by entry point; nothing is registered anywhere else."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any, TypeAlias

from stetho.artifact import Artifact
from stetho.cause import Cause
from stetho.check import Check
from stetho.errors import DeclarationError, UnknownName
from stetho.intervention import Intervention, declared_in
from stetho.phrase import Phrase
from stetho.probe import Probe
from stetho.question import Question
from stetho.reader import Piece, Reader
from stetho.rule import Rule

Declaration: TypeAlias = "Check | Cause | Intervention | Phrase | Probe | Question | Reader | Rule"
KINDS = ("probes", "readers", "phrases", "checks", "questions", "causes", "interventions", "rules")
ROOMS = ("checks", "causes", "interventions", "probes", "readers", "phrases", "questions", "lint")
# In the order of the fields below.
KINDS_OF = (Check, Cause, Intervention, Probe, Reader, Rule, Phrase, Question)


@dataclass(frozen=True)
class Catalogue:
    """Everything declared, by id."""

    checks: dict[str, Check]
    causes: dict[str, Cause]
    interventions: dict[str, Intervention]
    probes: dict[str, Probe]
    readers: dict[str, Reader]
    rules: dict[str, Rule]
    phrases: dict[str, Phrase] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    unsure: dict[str, str] = field(default_factory=dict)
    """Readers that failed when they were asked whether an artifact is theirs, and how."""

    def everything(self) -> Iterator[tuple[str, Declaration]]:
        """All declarations with the plural of their kind, in reading order."""
        for room in KINDS:
            for declaration in getattr(self, room).values():
                yield room, declaration

    def find(self, name: str) -> Declaration:
        """The declaration of that id; `lr=x10` finds `lr`."""
        wanted = name.split("=", 1)[0]
        for _, declaration in self.everything():
            if declaration.id == wanted:
                return declaration
        import difflib

        ids = [d.id for _, d in self.everything()]
        near = difflib.get_close_matches(wanted, ids, 3) or [i for i in ids if wanted in i][:3]
        raise UnknownName("cause, check, intervention, phrase, probe, question, reader or rule", name, near)

    def read(self, artifact: Artifact | None) -> Iterator[Piece]:
        """What the reader that knows an artifact best makes of it; nothing when none does."""
        one = self.reader_of(artifact) if artifact is not None else None
        if artifact is not None and one is not None:
            yield from one.function(artifact)

    def reader_of(self, artifact: Artifact) -> Reader | None:
        """The reader that is surest of an artifact; None when none knows it."""
        sure, one = max(((self._sure(one, artifact), one) for one in self.readers.values()), key=lambda pair: pair[0])
        return one if sure > 0 else None

    def _sure(self, one: Reader, artifact: Artifact) -> float:
        """How sure a reader is. One that fails at it is a defect of that reader alone, and knows nothing."""
        try:
            return one.recognises(artifact)
        except Exception as error:  # noqa: BLE001 - readers are isolated; what was caught is told with what was read
            self.unsure[one.id] = f"did not say whether {artifact.name} is its own: {error!r}"[:300]
            return 0.0

    def intervention(self, name: str) -> Intervention:
        return self.interventions[name.split("=", 1)[0]]


def modules_below(package: ModuleType) -> Iterator[ModuleType]:
    """The module itself and, for a package, every module inside it."""
    yield package
    for info in pkgutil.walk_packages(getattr(package, "__path__", []), package.__name__ + "."):
        yield importlib.import_module(info.name)


def declarations(module: ModuleType) -> Iterator[Declaration]:
    """What one module declares at its top level."""
    intervention = declared_in(module)
    if intervention is not None:
        yield intervention
    for value in vars(module).values():
        if isinstance(value, (Cause, Phrase, Question)):
            yield replace(value, doc=(module.__doc__ or "").strip())
        elif isinstance(value, (Check, Probe, Reader, Rule)):
            yield value


def _sources(wanted: tuple[str, ...]) -> Iterator[tuple[str, Iterator[ModuleType]]]:
    for room in wanted:
        yield "", modules_below(importlib.import_module(f"stetho.{room}"))
        for entry in entry_points(group=f"stetho.{room}"):
            yield f"'{entry.name}', which adds to {room}", _third_party(entry)


def _third_party(entry: EntryPoint) -> Iterator[ModuleType]:
    yield from modules_below(entry.load())


def _enter(rooms: dict[type, dict[str, Any]], module: ModuleType) -> None:
    for declaration in declarations(module):
        room = rooms[type(declaration)]
        known = room.get(declaration.id)
        if known is None:
            room[declaration.id] = declaration
        elif known != declaration:
            raise DeclarationError(f"{module.__name__}: '{declaration.id}' is declared twice")


@cache
def load(wanted: tuple[str, ...] = ROOMS) -> Catalogue:
    """The catalogue, whole or, where every tenth of a second counts, some rooms of it; an id is given once only."""
    rooms: dict[type, dict[str, Any]] = {kind: {} for kind in KINDS_OF}
    for origin, modules in _sources(wanted):
        try:
            for module in modules:
                _enter(rooms, module)
        except DeclarationError:
            raise
        except Exception as error:
            # Somebody else's package: whatever it raises, the user must learn which one it is.
            if not origin:
                raise
            raise DeclarationError(f"the package behind {origin}, fails: {type(error).__name__}: {error}") from error
    return Catalogue(*(rooms[kind] for kind in KINDS_OF))

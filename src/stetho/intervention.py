"""What an intervention is: one change to a run, made from inside the user's interpreter or on its command.

An intervention's file imports nothing of stetho, because it is loaded in the user's own interpreter too:
it is a module with these names, read here into an `Intervention`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from stetho.errors import BadRequest, DeclarationError

OUTCOMES = ("symptom-gone", "better", "same", "worse", "new-failure")


@dataclass(frozen=True)
class Intervention:
    """A declared change: what it asks, how it is named on the command line, and what it does to most runs."""

    id: str
    kind: str
    question: str
    applies: str
    """What a program must have for it."""
    values: Mapping[str, str]
    """What can follow its name and `=`, with the meaning of each; "" where it can stand alone."""
    example: str
    """A value that shows it at work."""
    alters: str
    """What cannot be compared with the base run's as it is, by a word of `stetho.outcome.ways`; empty where all can."""
    moves: str
    """Why the random numbers that follow are others than the base run's; empty where they stay the same."""
    backgrounds: Mapping[str, Mapping[str, float]]
    """For each value the reasoner may choose ("" when it takes none): what the change does to a run whose
    fault it does not touch."""
    groups: Mapping[str, str]
    """Values that tell the same story share a group; a second one is worth running only if the first said little."""
    cost: float
    by_hand: bool
    """Whether a person can ask for it; some only serve another purpose."""
    prepares: bool
    """Whether it changes the command or its environment, before anything runs."""
    doc: str
    module: str
    path: str
    somewhere: bool = False
    """Whether it is made where something is wrong, so that of several ranks one is enough."""

    @property
    def names(self) -> tuple[str, ...]:
        """What causes call its variants: `lr=x0.1` when it takes values, else its own id."""
        return tuple(f"{self.id}={value}" if value else self.id for value in self.backgrounds)

    @property
    def usage(self) -> str:
        """How it is written on the command line."""
        return " | ".join(f"{self.id}={value}" if value else self.id for value in self.values)

    def check(self, value: str) -> None:
        """Refuse a value that the intervention cannot read."""
        if not value and "" not in self.values:
            raise BadRequest(f"{self.id} needs a value: {self.usage}")
        if value and set(self.values) == {""}:
            raise BadRequest(f"{self.id} takes no value")
        read = getattr(self._code(), "read", None)
        try:
            if read is not None:
                read(value)
        except ValueError as error:
            # Python's own words for a text that is no number are about Python.
            words = str(error)
            reason = "this is not a number" if words.startswith(("could not convert", "invalid literal")) else words
            raise BadRequest(f"{self.id}={value}: {reason}; it is written {self.usage}") from error

    def prepare(
        self, command: Sequence[str], environment: Mapping[str, str], value: str
    ) -> tuple[tuple[str, ...], dict[str, str]]:
        """The command and its environment with the change in it, where it is made there."""
        if not self.prepares:
            return tuple(command), dict(environment)
        try:
            changed, variables = self._code().prepare(list(command), dict(environment), value)
        except ValueError as error:
            raise BadRequest(f"{self.id}={value}: {error}") from error
        return tuple(changed), dict(variables)

    def chosen(self, facts: Mapping[str, object]) -> str:
        """The value that fits this run, by the names of its facts; empty where the intervention needs none."""
        choose = getattr(self._code(), "chosen", None)
        return "" if choose is None else str(choose(facts))

    def fits(self, facts: Mapping[str, object]) -> bool:
        """Whether the run has what the change acts on, as far as the names of its facts tell."""
        asked = getattr(self._code(), "fits", None)
        return asked is None or bool(asked(facts))

    def _code(self) -> Any:
        return importlib.import_module(self.module)


def declared_in(module: ModuleType) -> Intervention | None:
    """The intervention that a module declares, or None when it declares none."""
    if not hasattr(module, "kind") or not hasattr(module, "apply"):
        return None
    try:
        return Intervention(
            id=module.__name__.rsplit(".", 1)[-1].replace("_", "-"),
            kind=module.kind,
            question=module.question,
            applies=module.applies,
            values=module.values,
            example=getattr(module, "example", ""),
            alters=getattr(module, "alters", ""),
            moves=getattr(module, "moves", ""),
            backgrounds=getattr(module, "backgrounds", {}),
            groups=getattr(module, "groups", {}),
            cost=float(getattr(module, "cost", 1.0)),
            by_hand=getattr(module, "by_hand", True),
            somewhere=bool(getattr(module, "somewhere", False)),
            prepares=hasattr(module, "prepare"),
            doc=(module.__doc__ or "").strip(),
            module=module.__name__,
            path=module.__file__ or "",
        )
    except AttributeError as error:
        raise DeclarationError(f"{module.__file__}: an intervention needs {error.name}") from error

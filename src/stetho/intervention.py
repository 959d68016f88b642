"""What an intervention is: one change to a run, made from inside the user's interpreter or on its command.

An intervention's file imports nothing of stetho, because it is loaded in the user's own interpreter too:
it is a module with these names, read here into an `Intervention`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

from stetho.errors import DeclarationError

OUTCOMES = ("symptom-gone", "better", "same", "worse", "new-failure")


@dataclass(frozen=True)
class Intervention:
    """A declared change: what it asks, how it is named on the command line, and what it does to most runs."""

    id: str
    kind: str
    question: str
    backgrounds: Mapping[str, Mapping[str, float]]
    """For each value the reasoner may choose ("" when it takes none): what the change does to a run whose
    fault it does not touch."""
    applies: str
    groups: Mapping[str, str]
    """Values that tell the same story share a group; a second one is worth running only if the first said little."""
    cost: float
    doc: str
    module: str
    path: str

    @property
    def names(self) -> tuple[str, ...]:
        """What causes and users call its variants: `lr=x0.1` when it takes values, else its own id."""
        return tuple(f"{self.id}={value}" if value else self.id for value in self.backgrounds)


def declared_in(module: ModuleType) -> Intervention | None:
    """The intervention that a module declares, or None when it declares none."""
    if not hasattr(module, "backgrounds") or not hasattr(module, "apply"):
        return None
    try:
        return Intervention(
            id=module.__name__.rsplit(".", 1)[-1].replace("_", "-"),
            kind=module.kind,
            question=module.question,
            backgrounds=module.backgrounds,
            applies=module.applies,
            groups=getattr(module, "groups", {}),
            cost=float(getattr(module, "cost", 1.0)),
            doc=(module.__doc__ or "").strip(),
            module=module.__name__,
            path=module.__file__ or "",
        )
    except AttributeError as error:
        raise DeclarationError(f"{module.__file__}: an intervention needs {error.name}") from error

"""What an operator is: a fault, or a change without meaning, that can be planted, and an example of it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from bench.judge.case import HEALTHY
from bench.judge.mutate.program import Mutation, Program, Unfit

Effect = str
EFFECTS = ("worse", "better", "fails", "slow", "none")
Files = str | Mapping[str, str]
Sites = Callable[[Program], Iterator[Mutation]]


@dataclass(frozen=True)
class Operator:
    """One way to change a program."""

    id: str
    family: str
    accepted: frozenset[str]
    effect: Effect
    story: str
    before: Files
    after: Files
    sites: Sites

    @property
    def preserving(self) -> bool:
        return self.family == HEALTHY

    def mutations(self, program: Program) -> Iterator[Mutation]:
        """The sites of a program; the first that an edit does not fit is the end."""
        found = self.sites(program)
        while True:
            try:
                yield next(found)
            except (StopIteration, Unfit):
                return


def fault(
    family: str, *also: str, before: Files, after: Files, effect: Effect = "worse"
) -> Callable[[Sites], Operator]:
    """Declare a fault: its cause, and the other causes that would be as right."""

    def declare(sites: Sites) -> Operator:
        accepted = frozenset((family, *also))
        return Operator(_named(sites), family, accepted, effect, _story(sites), before, after, sites)

    return declare


def preserving(*, before: Files, after: Files) -> Callable[[Sites], Operator]:
    """Declare a change without meaning."""

    def declare(sites: Sites) -> Operator:
        accepted = frozenset(("none/healthy", "none/completed", "none/converged", "none/slow-but-learning"))
        return Operator(_named(sites), HEALTHY, accepted, "none", _story(sites), before, after, sites)

    return declare


def _named(sites: Sites) -> str:
    return sites.__name__.replace("_", "-")


def _story(sites: Sites) -> str:
    return (sites.__doc__ or "").strip()


@cache
def operators() -> tuple[Operator, ...]:
    """All operators, by folder and name: the folders are the registry."""
    found = []
    for folder in ("operators", "preserving"):
        package = importlib.import_module(f"bench.judge.mutate.{folder}")
        for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda one: one.name):
            loaded = importlib.import_module(f"{package.__name__}.{module.name}")
            found += [one for one in vars(loaded).values() if isinstance(one, Operator)]
    return tuple(found)


def named(name: str) -> Operator:
    return next(one for one in operators() if one.id == name)

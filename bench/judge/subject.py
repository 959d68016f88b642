"""What tools are judged on: programs of the corpus, and mutants of its healthy ones, in one form."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.judge import case as corpus
from bench.judge import split as splits
from bench.judge import store
from bench.judge.case import HEALTHY, ROOT, Place

MUTANTS = ROOT / "bench" / "results" / "mutants.jsonl"
# Kinds of mutants that are judged; those that broke or changed what they should not are not.
KINDS = ("fault", "silent", "preserving")


@dataclass(frozen=True)
class Subject:
    """A program with what is true of it."""

    id: str
    base: str
    """The hand-written program that it is, or was made from."""
    kind: str
    """`case`, or what kind of mutant."""
    family: str
    accepted: frozenset[str]
    places: tuple[Place, ...]
    side: str
    style: str
    command: tuple[str, ...]
    digest: str
    planted: frozenset[str] = frozenset()
    """Causes that count as right of a planted fault that has no visible effect."""

    @property
    def healthy(self) -> bool:
        return self.family == HEALTHY

    @property
    def stratum(self) -> tuple[str, str]:
        """What a sample keeps the shares of: whether it was written or made, and what kind of fault it has."""
        return ("case" if self.kind == "case" else "mutant", self.family.split("/")[0])

    def lay(self, folder: Path, seed: int = 0) -> None:
        """Lay it out as whoever is judged gets it."""
        if self.kind == "case":
            corpus.lay(corpus.load(self.base), folder, seed=seed)
        else:
            from bench.judge.mutate import plan

            plan.lay(plan.find(self.id), folder, seed)


def subjects() -> dict[str, Subject]:
    """Everything that can be judged, by id."""
    split = splits.load()
    return {one.id: one for one in (*_cases(split), *_mutants(split))}


def _cases(split: splits.Split) -> Iterator[Subject]:
    for case in corpus.cases():
        yield Subject(
            case.name, case.name, "case", case.family, case.accepted, case.places, split.side(case.name), case.style,
            case.command, case.digest(),
        )  # fmt: skip


def _mutants(split: splits.Split) -> Iterator[Subject]:
    known = {name: corpus.load(name) for name in corpus.names()}
    for row in store.rows(MUTANTS):
        base = known.get(row["base"])
        if row["kind"] not in KINDS or base is None or not split.allows(row["base"], row["family"]):
            continue
        healthy = row["kind"] != "fault"
        places = tuple(Place(**place) for place in row["places"])
        yield Subject(
            row["id"], row["base"], row["kind"], HEALTHY if healthy else row["family"],
            frozenset(("none/healthy",) if healthy else row["accepted"]), () if healthy else places,
            split.side(row["base"]), base.style, base.command, row["digest"],
            frozenset(row["accepted"]) if row["kind"] == "silent" else frozenset(),
        )  # fmt: skip


def sample(found: Sequence[Subject], size: int, seed: int = 0) -> list[Subject]:
    """So many subjects with the shares of all; every stratum has one at least, the same ones for the same seed."""
    if size >= len(found):
        return list(found)
    strata: dict[tuple[str, str], list[Subject]] = {}
    for one in found:
        strata.setdefault(one.stratum, []).append(one)
    chance = random.Random(seed)
    for key in sorted(strata):
        strata[key].sort(key=lambda one: one.id)
        chance.shuffle(strata[key])
    picked: list[Subject] = []
    # The stratum that lags most behind its share is the next to give one.
    while len(picked) < size:
        taken = {key: sum(one.stratum == key for one in picked) for key in strata}
        key = max(
            (key for key in sorted(strata) if taken[key] < len(strata[key])),
            key=lambda key: (taken[key] == 0, len(strata[key]) / len(found) * (len(picked) + 1) - taken[key]),
        )
        picked.append(strata[key][taken[key]])
    return picked


def of_side(found: Iterable[Subject], side: str) -> list[Subject]:
    return [one for one in found if side in ("all", one.side)]

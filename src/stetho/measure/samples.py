"""The sampled steps, turned round: for each parameter, what was measured of it from sample to sample."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stetho.evidence import Place
from stetho.recording import Recording, number


@dataclass(frozen=True)
class Sampled:
    """One measured column of one parameter."""

    optimizer: int
    position: int
    name: str
    size: int | None
    steps: tuple[int, ...]
    values: tuple[float | None, ...]


def samples(recording: Recording) -> dict[int, list[dict[str, Any]]]:
    """The samples of each optimizer, in the order of their steps."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for body in recording.of("sample"):
        found[int(body["o"])].append(body)
    return {o: sorted(bodies, key=lambda b: int(b["i"])) for o, bodies in sorted(found.items())}


def parameters(recording: Recording, optimizer: int) -> tuple[list[str], list[int | None]]:
    """Names and sizes of what an optimizer holds, in the order of the samples; the newest list is the longest."""
    told = [b for b in recording.of("parameters") if b.get("o") == optimizer]
    names = [str(n) for n in (told[-1].get("names") or [] if told else [])]
    sizes = [int(s) for s in (told[-1].get("sizes") or [] if told else [])]
    return names, [*sizes, *([None] * max(0, len(names) - len(sizes)))]


def shape_at(recording: Recording, optimizer: int, position: int) -> tuple[int, ...] | None:
    """The shape of a parameter that an optimizer holds, where it was written down."""
    told = [b for b in recording.of("parameters") if b.get("o") == optimizer]
    shapes = (told[-1].get("shapes") or []) if told else []
    return tuple(int(n) for n in shapes[position]) if position < len(shapes) else None


def begun_at(recording: Recording, optimizer: int, position: int) -> Place | None:
    """The line that gave a parameter its first values, where it was seen."""
    told = [b for b in recording.of("parameters") if b.get("o") == optimizer]
    sites = (told[-1].get("begun") or []) if told else []
    return recording.place(sites[position]) if position < len(sites) else None


def sampled(recording: Recording, key: str) -> Iterator[Sampled]:
    """A column of the samples, parameter by parameter; a parameter without a name gets a number."""
    for optimizer, bodies in samples(recording).items():
        bodies = [b for b in bodies if isinstance(b.get(key), list)]
        names, sizes = parameters(recording, optimizer)
        for position in range(max((len(b[key]) for b in bodies), default=0)):
            here = [b for b in bodies if position < len(b[key])]
            yield Sampled(
                optimizer=optimizer,
                position=position,
                name=names[position] if position < len(names) else f"parameter {position}",
                size=sizes[position] if position < len(sizes) else None,
                steps=tuple(int(b["i"]) for b in here),
                values=tuple(number(b[key][position]) for b in here),
            )

"""The observer's lines, one at a time: which of them make sense, and the steps that a block of them holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

# Columns of a block of steps that are written once when they are the same for all of it.
SHARED = ("loss", "terms", "lr", "bw", "order", "clip")
# What an event cannot do without. One that lacks it was not written by an observer that is known here.
REQUIRED: dict[str, tuple[str, ...]] = {
    "activations": ("i",),
    "batch": ("step",),
    "check": ("o", "i"),
    "coverage": ("reached", "left_out", "names", "idle", "loaded", "late"),
    "epoch": ("l", "step"),
    "evaluation": ("step", "n", "loss"),
    "fit": ("step", "r2"),
    "input": ("n", "mean", "std", "low", "high", "bad"),
    "loader": ("l",),
    "loss-call": ("fn", "site", "grad"),
    "loss-value": ("step", "v"),
    "noise": ("o", "i", "n"),
    "optimizer": ("o", "name"),
    "origin": ("step", "op", "phase"),
    "pairs": ("x", "y", "whole", "discrete"),
    "raw": ("step", "x"),
    "rows": ("step", "phase", "x", "h"),
    "sample": ("o", "i"),
    "units": ("step", "phase", "a", "b", "m", "s"),
    "unlocalised": ("step",),
    "workers": ("l", "alike"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One optimizer step."""

    optimizer: int
    index: int
    losses: tuple[tuple[int, float], ...]
    rates: tuple[float | None, ...]
    gradient: float | None
    kept: bool
    change: float | None
    clip: tuple[float, float] | None
    at: int | None
    terms: tuple[tuple[int, float], ...] = ()
    estimated: bool = False
    backwards: int | None = None
    seconds: float | None = None
    wait: float | None = None
    validation: float | None = None
    order: str | None = None
    backward_began: float | None = None
    backward_took: float | None = None


def complete(kind: str, body: dict[str, Any]) -> bool:
    """Whether an event has everything that those who measure count on."""
    return all(body.get(key) is not None for key in REQUIRED.get(kind, ()))


def number(value: object) -> float | None:
    """A number as the observer writes it, where it is one: what is not finite comes as a text."""
    if isinstance(value, (int, float)):
        return float(value)
    try:
        return float(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _pairs(value: Any) -> tuple[tuple[int, float], ...]:
    """Values with their call sites; a site that is not known is -1, which is none."""
    pairs = ((site, number(amount)) for site, amount in value or ())
    return tuple((-1 if site is None else int(site), amount) for site, amount in pairs if amount is not None)


def _rates(value: Any) -> tuple[float | None, ...]:
    return tuple(map(number, value or ()))


def _clip(value: Any) -> tuple[float, float] | None:
    return (float(value[0]), float(value[1])) if value else None


def _count(value: Any) -> int | None:
    return None if value is None else int(value)


def _span(value: Any) -> tuple[float | None, float | None]:
    return (number(value[0]), number(value[1])) if value else (None, None)


def _letters(value: Any) -> str | None:
    return None if value is None else str(value)


def _column(body: dict[str, Any], key: str, convert: Callable[[Any], T]) -> list[T]:
    """One value for each step of a block; a step about which the column says nothing gets the unknown one."""
    size = int(body["n"])
    values = [convert(v) for v in body.get(key) or ()]
    if len(values) == 1 and key in SHARED:
        return values * size
    return values[:size] + [convert(None)] * (size - len(values))


def block(body: dict[str, Any]) -> Iterator[Step]:
    """The steps of one block; in a thinned one they lie `every` steps apart."""
    kept, apart = set(body.get("kept") or ()), int(body.get("every") or 1)
    optimizer, first, at, guessed = int(body["o"]), int(body["i"]), body.get("at"), body.get("est") or ()
    # Earlier observers said it of a whole block.
    estimated = set(range(int(body["n"]))) if guessed is True else set(guessed)
    columns = zip(
        _column(body, "loss", _pairs),
        _column(body, "lr", _rates),
        _column(body, "g", number),
        _column(body, "clip", _clip),
        _column(body, "terms", _pairs),
        _column(body, "bw", _count),
        _column(body, "dt", number),
        _column(body, "dw", number),
        _column(body, "vt", number),
        _column(body, "order", _letters),
        _column(body, "bt", _span),
        strict=True,
    )
    for offset, (losses, rates, norm, clip, terms, calls, took, waited, validated, order, span) in enumerate(columns):
        yield Step(
            optimizer, first + offset * apart, losses, rates, norm, offset in kept, None, clip, at, terms,
            offset in estimated, calls, took, waited, validated, order, *span,
        )  # fmt: skip


def single(body: dict[str, Any]) -> Step:
    """A step as earlier observers wrote it, one to a line; old cases hold these."""
    return Step(
        optimizer=int(body["o"]),
        index=int(body["i"]),
        losses=_pairs(body["loss"]),
        rates=_rates(body["lr"]),
        gradient=number(body.get("g")),
        kept=bool(body.get("kept")),
        change=number(body.get("u")),
        clip=_clip(body.get("clip")),
        at=body.get("at"),
        backwards=_count(body.get("bw")),
    )

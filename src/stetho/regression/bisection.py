"""Which of many differences brings a failure: halved by asking, until no smaller part of them does.

What is asked is whether the run is good with some of the differences undone. An answer may be unclear, because half
of a change can break a program in another way; then smaller parts are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, Literal, TypeAlias, TypeVar

Answer: TypeAlias = Literal["good", "bad", "unclear"]
T = TypeVar("T")


@dataclass(frozen=True)
class Narrowed(Generic[T]):
    """What is left of the differences: undone beside `beside` it is good, and without it is not."""

    left: tuple[T, ...]
    beside: frozenset[T] = frozenset()
    """Differences that were undone as well."""
    whole: bool = True
    """Whether everything was asked that could narrow it further."""


def smallest(
    pieces: Sequence[T],
    ask: Callable[[frozenset[T]], Answer],
    more: Callable[[], bool] = lambda: True,
    beside: frozenset[T] = frozenset(),
) -> Narrowed[T]:
    """Delta debugging: the smallest part whose undoing makes the difference between a bad run and a good one.

    With `beside` undone the run is bad, and with the pieces undone as well it is good. `more` says whether there is
    time for another question.
    """
    left, parts = tuple(pieces), 2
    while len(left) > 1:
        groups = split(left, min(parts, len(left)))
        found = _step(left, groups, ask, more, beside)
        if found is None:
            return Narrowed(left, beside, whole=False)
        changed, left, beside = found
        if changed:
            parts = 2
        elif len(groups) == len(left):
            break
        else:
            parts = 2 * len(groups)
    return Narrowed(left, beside)


def _step(
    left: tuple[T, ...],
    groups: Sequence[tuple[T, ...]],
    ask: Callable[[frozenset[T]], Answer],
    more: Callable[[], bool],
    beside: frozenset[T],
) -> tuple[bool, tuple[T, ...], frozenset[T]] | None:
    """One round: each group undone by itself, then all others; the first clear answer narrows it."""
    for group in groups:
        rest = tuple(one for one in left if one not in group)
        # Of two halves, the one is what the other leaves.
        for chosen, others in ((group, rest), (rest, group))[: 1 if len(groups) == 2 else 2]:
            if not more():
                return None
            answer = ask(beside | frozenset(chosen))
            if answer == "good":
                return True, chosen, beside
            if answer == "bad":
                return True, others, beside | frozenset(chosen)
    return False, left, beside


def split(items: Sequence[T], parts: int) -> list[tuple[T, ...]]:
    """Items in that many groups of about one size, in their order."""
    ends = [round(len(items) * i / parts) for i in range(parts + 1)]
    return [tuple(items[a:b]) for a, b in pairwise(ends) if a < b]


def fewest(
    pieces: Sequence[T], ask: Callable[[frozenset[T]], Answer], more: Callable[[], bool] = lambda: True
) -> Narrowed[T]:
    """The fewest pieces that must be undone together, where undoing one alone is not enough."""
    left, parts = tuple(pieces), 2
    while len(left) > 1:
        groups = split(left, min(parts, len(left)))
        rests = [tuple(one for one in left if one not in group) for group in groups]
        for chosen in (*groups, *(rests if len(groups) > 2 else ())):
            if not more():
                return Narrowed(left, whole=False)
            if ask(frozenset(chosen)) == "good":
                left, parts = chosen, max(2, len(groups) - 1) if chosen in rests else 2
                break
        else:
            if len(groups) == len(left):
                break
            parts = 2 * len(groups)
    return Narrowed(left)


def turn(states: int, ask: Callable[[int], Answer], more: Callable[[], bool] = lambda: True) -> tuple[int, int]:
    """Between which two states of a row, the first of them good and the last bad, it turns; those between are unclear.

    State -1 is known to be good, and the last one to be bad.
    """
    good, bad = -1, states - 1
    unclear: set[int] = set()
    while True:
        open_ones = [i for i in range(good + 1, bad) if i not in unclear]
        if not open_ones or not more():
            return good, bad
        middle = min(open_ones, key=lambda i: abs(2 * i - good - bad))
        answer = ask(middle)
        if answer == "good":
            good = middle
        elif answer == "bad":
            bad = middle
        else:
            unclear.add(middle)

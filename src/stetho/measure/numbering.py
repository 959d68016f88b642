"""Which classes the answers of evaluation take for which: the numbers under which most of them would be right."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from stetho.facts import ClassNumberings, Numbering, Renumbered
from stetho.measure.series import Measured
from stetho.recording import Recording

# How many times as often as its own a class of a ring must get the other number, and by how many standard errors.
TIMES, SIGMAS = 3.0, 4.0
# Samples of a class from which on it can be said to have another number.
LEAST = 4


def class_numberings(recording: Recording) -> Iterator[Measured]:
    """The last evaluation of each line, beside the numbers of classes under which it would be best."""
    last: dict[tuple[object, str], dict[str, Any]] = {}
    for body in recording.of("evaluation"):
        if body.get("taken") and body.get("of"):
            last[body.get("site"), str(body.get("fn"))] = body
    found = [numbering(recording, body) for body in last.values()]
    lines = sorted((one for one in found if one is not None), key=lambda one: -one.samples)
    if lines:
        told = max(lines, key=lambda one: one.renumbered - one.right)
        words = f"of the answers evaluated at {told.where} {told.right:.0%} are right"
        moved = ", ".join(f"{one.label} as {one.answer}" for one in told.moved[:6])
        more = f"; {told.renumbered:.0%} with class {moved}" if told.moved else " and no other numbering fits better"
        yield ClassNumberings(tuple(lines)), words + more


def numbering(recording: Recording, body: dict[str, Any]) -> Numbering | None:
    """One line of an evaluation; None where nothing was counted."""
    import numpy as np

    given = np.array(body["of"], dtype=float)
    table = np.zeros((len(given), len(given)))
    for label, answer, count in body["taken"]:
        table[label, answer] = count
    counted = float(given.sum())
    if not counted:
        return None
    several = str(body["fn"]).startswith("binary") and (len(given) > 2 or counted != body["n"])
    # Places of one sample, as pixels are, say the same again and again.
    weight = 1.0 if several else min(1.0, float(body["n"]) / counted)
    moved = tuple(rings(table, given, weight))
    gain = sum(one.moved - one.right for one in moved)
    return Numbering(
        function=str(body["fn"]),
        where=recording.place(body.get("site")),
        classes=len(given),
        samples=int(body["n"]),
        right=float(table.trace()) / counted,
        renumbered=(float(table.trace()) + gain) / counted,
        moved=moved,
        several=several,
    )


def rings(table: Any, given: Any, weight: float) -> Iterator[Renumbered]:
    """Classes that take each other's numbers in answers, ring by ring, beyond what confusion and chance bring."""
    best = assigned(table)
    left, cycle = set(range(len(best))), 0
    while left:
        ring = [min(left)]
        while best[ring[-1]] != ring[0]:
            ring.append(best[ring[-1]])
        left -= set(ring)
        own, other = (sum(float(table[k, to[k]]) for k in ring) for to in (range(len(best)), best))
        beyond = math.sqrt(weight) * (other - own) > SIGMAS * math.sqrt(other + own)
        known = all(given[k] >= LEAST and table[k, k] < given[k] / 2 for k in ring)
        if len(ring) > 1 and known and beyond and other > TIMES * own:
            for k in ring:
                yield Renumbered(k, best[k], int(given[k]), int(table[k, k]), int(table[k, best[k]]), cycle)
            cycle += 1


def assigned(table: Any) -> list[int]:
    """For each line of a square table one column, no column twice, so that their sum is the largest there is."""
    import numpy as np

    # The shortest augmenting paths of Jonker and Volgenant, with potentials of lines and columns; 0 stands for none.
    size = len(table)
    costs = np.zeros((size + 1, size + 1))
    costs[1:, 1:] = -table
    lines, columns = np.zeros(size + 1), np.zeros(size + 1)
    taken, before = np.zeros(size + 1, dtype=int), np.zeros(size + 1, dtype=int)
    for line in range(1, size + 1):
        taken[0], column = line, 0
        shortest, used = np.full(size + 1, np.inf), np.zeros(size + 1, dtype=bool)
        while taken[column]:
            used[column] = True
            reduced = costs[taken[column]] - lines[taken[column]] - columns
            closer = ~used & (reduced < shortest)
            shortest[closer], before[closer] = reduced[closer], column
            nearest = int(np.where(used, np.inf, shortest)[1:].argmin()) + 1
            step = shortest[nearest]
            lines[taken[used]] += step
            columns[used] -= step
            shortest[~used] -= step
            column = nearest
        while column:
            taken[column] = taken[before[column]]
            column = int(before[column])
    found = [0] * size
    for column in range(1, size + 1):
        found[int(taken[column]) - 1] = column - 1
    return found

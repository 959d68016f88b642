"""What an observed program printed of how well it does: held-out losses and scores, which no hook can see."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from stetho.artifact import artifact_at
from stetho.catalogue import Catalogue
from stetho.evidence import Source
from stetho.facts import Fact, LossCurve, Metrics, Printed, PrintedNumber, Scores, ValidationLoss
from stetho.logged.known import Known

if TYPE_CHECKING:
    from stetho.logged.assembly import Curve

# What the observer measures itself is taken from the run, and not from what the run says of it.
KINDS: tuple[type[Fact], ...] = (Metrics, Scores, ValidationLoss)
MOST_NUMBERS, MOST_VALUES = 50, 40
# Held-out points from which a course can be told.
LEAST = 6
OUTPUT = "output.txt"


def facts_of_output(output: Path, catalogue: Catalogue, curve: LossCurve | None) -> Iterator[Known]:
    """The facts of what a run printed; `curve` is the training loss as it was observed, if it was."""
    from stetho.logged.assembly import curves_of, facts_of_curves
    from stetho.logged.bare import told_by_course
    from stetho.series import Series

    artifact = artifact_at(output, OUTPUT)
    if artifact is None or not artifact.size:
        return
    found = [("text", piece) for piece in catalogue.read(artifact) if isinstance(piece, Series)]
    curves = curves_of(found)
    known = [one for one in facts_of_curves(curves) if curve is None or isinstance(one.fact, KINDS)]
    if not any(isinstance(one.fact, ValidationLoss) for one in known):
        known += held_out(curves)
    for one in known:
        fact = one.fact
        if isinstance(fact, ValidationLoss) and not fact.training and curve is not None:
            yield replace(one, fact=replace(fact, training=alongside(curve.values, len(fact.values))))
        else:
            yield one
    yield from printed(told_by_course(curves))


def held_out(curves: Sequence[Curve]) -> Iterator[Known]:
    """A held-out loss of a program that prints no training loss beside it."""
    found = [c for c in curves if c.role.kind == "loss" and c.role.split == "validation" and len(c) >= LEAST]
    if found:
        best = min(found, key=lambda c: (c.role.plain, -len(c)))
        values = tuple(float(v) for v in best.values)
        words = f"{best.name}: {len(values)} points, {values[0]:.4g} first, {min(values):.4g} at best"
        yield Known(ValidationLoss(best.name, tuple(range(len(values))), values), words, best.source)


def alongside(values: Sequence[float], count: int) -> tuple[float, ...]:
    """The level of a loss at so many points evenly along the run, as evaluations mostly are."""
    if len(values) < 2 * count:
        return ()
    width = max(1, len(values) // max(10, 2 * count))
    ends = [round((k + 1) / count * len(values)) for k in range(count)]
    return tuple(median(values[max(0, end - width) : end]) for end in ends)


def printed(curves: Sequence[Curve]) -> Iterator[Known]:
    """Every loss and score that was printed, also once."""
    numbers = []
    for curve in curves:
        # A held-out number whose name and course do not tell what it is may be told by another run of the program.
        if curve.role.kind in ("loss", "score") or (curve.role.kind == "other" and curve.role.split == "validation"):
            series = curve.placed.series
            line = int(series.at[-1]) if series.at is not None and series.unit == "line" else None
            values = tuple(float(v) for v in curve.values[-MOST_VALUES:])
            numbers.append(PrintedNumber(curve.name, curve.role.kind, curve.role.split, values, line))
    if numbers:
        fact = Printed(tuple(numbers[:MOST_NUMBERS]))
        told = fact.results() or fact.numbers
        said = ", ".join(f"{one.name} {number(one.values[-1])}" for one in told[:3])
        yield Known(fact, f"the program printed, last: {said}", Source(file=OUTPUT, line=told[0].line))


def number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else str(value)

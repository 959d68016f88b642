"""Which column of a file gives the label away, where a feature of the model's input does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from stetho.facts import Fact, GivenAway, Labels, LeakingColumns, TellingFeature
from stetho.measure.series import Measured
from stetho.measure.telling import told_by
from stetho.tables import Column, Table

# Rows that are looked at, and columns.
ROWS, WIDEST = 3000, 200
# How much a column must tell of what the feature tells, and by how much it must be ahead of the next.
ENOUGH, AHEAD = 0.8, 0.3
# A feature that tells less gives nothing away.
LEAST = 0.8


def leaking_columns(read: Mapping[str, Table], known: Mapping[type[Fact], Fact]) -> Iterator[Measured]:
    """In each table with a column that can be the label: the one column that tells as much as the feature does."""
    telling, labels = known.get(TellingFeature), known.get(Labels)
    if not isinstance(telling, TellingFeature) or not isinstance(labels, Labels) or telling.alone < LEAST:
        return
    found = [one for file, table in read.items() if (one := _in_table(file, table, telling, labels)) is not None]
    if found:
        first = found[0]
        told = f"{first.file}: {first.column} by itself tells {first.alone:.3f} of {first.label}"
        yield LeakingColumns(tuple(found)), told + (f"; the same in {len(found) - 1} more" if len(found) > 1 else "")


def _in_table(file: str, table: Table, telling: TellingFeature, labels: Labels) -> GivenAway | None:
    if table.rows < 100 or len(table.columns) > WIDEST:
        return None
    values = {column.name: _values(column) for column in table.columns}
    best: tuple[float, GivenAway] | None = None
    # The answer comes last in most tables; where two columns are each other's copy, the last one is the label.
    for label in (column for column in reversed(table.columns) if _can_be(column, values[column.name], labels)):
        y = values[label.name]
        told = {
            column.name: told_by(x[: len(y)], y, labels.classes is not None)
            for column in table.columns
            if column is not label and (x := values[column.name]) is not None
        }
        ranked = sorted(told, key=lambda name: -told[name])
        if not ranked or told[ranked[0]] < ENOUGH * telling.alone:
            continue
        second = told[ranked[1]] if len(ranked) > 1 else 0.0
        column = table.column(ranked[0])
        if column is not None and second <= told[ranked[0]] - AHEAD and (best is None or told[ranked[0]] > best[0]):
            best = told[ranked[0]], GivenAway(file, column.name, column.key, label.name, told[ranked[0]], second)
    return best[1] if best is not None else None


def _values(column: Column) -> Any:
    """The column as numbers, words by their place in the alphabet; None where it cannot be used."""
    import numpy as np

    if column.numbers is not None:
        values = column.numbers[:ROWS]
        return values if np.isfinite(values).all() and values.std() > 0 else None
    words = list(column.words or ())[:ROWS]
    kinds = {word: number for number, word in enumerate(sorted(set(words)))}
    # Names that are all different tell every row apart, and nothing else.
    return np.array([float(kinds[word]) for word in words]) if 2 <= len(kinds) <= len(words) // 4 else None


def _can_be(column: Column, values: Any, labels: Labels) -> bool:
    """Whether a column can be what the run trained on: as many classes, or numbers spread alike."""
    import numpy as np

    if values is None:
        return False
    if labels.classes is not None:
        _, counts = np.unique(values, return_counts=True)
        share = labels.counts[0].count / max(1, labels.counted)
        return len(counts) == labels.classes and abs(counts.max() / len(values) - share) < 0.15
    return spread_alike(values, labels) is not None


def spread_alike(values: Any, labels: Labels) -> float | None:
    """How far the edges of some numbers are from those of the labels, both in spreads; None where they differ."""
    if labels.mean is None or not labels.std or labels.low is None or labels.high is None or not values.std():
        return None
    ours = [(edge - labels.mean) / labels.std for edge in (labels.low, labels.high)]
    theirs = [(edge - values.mean()) / values.std() for edge in (values.min(), values.max())]
    pairs = list(zip(ours, theirs, strict=True))
    alike = all(math.isclose(a, b, rel_tol=0.35, abs_tol=0.3) for a, b in pairs)
    return sum(abs(a - b) for a, b in pairs) if alike else None

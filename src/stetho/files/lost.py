"""Columns of a file that tell much of the label, and of which nothing is left in what enters the model."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stetho.facts import Fact, Labels, LostColumn, LostColumns, SaturatedFeatures
from stetho.files.features import standardised
from stetho.files.parts import grouped, miss
from stetho.measure.saturated import goes_with
from stetho.measure.series import Measured
from stetho.measure.telling import told_by, told_by_all
from stetho.tables import Column, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Rows that are looked at, columns that may be lost together, and the seconds of a processor that it may take.
ROWS, MOST_LOST, SECONDS = 1200, 6, 3.0
# How much more the file must tell of the label than what enters the model.
AHEAD = 0.15
# What tells more than this by itself is the label in other words, and left out on purpose.
COPY = 0.97
# How far apart what is told by the same columns may be, once among kept samples and once among rows of the file.
ALIKE = 0.08


def lost_columns(read: Mapping[str, Table], known: Mapping[type[Fact], Fact]) -> Iterator[Measured]:
    """In the table with the label: the columns without which it tells no more than what enters the model does."""
    flat, labels = known.get(SaturatedFeatures), known.get(Labels)
    if not isinstance(flat, SaturatedFeatures) or not 0 < len(flat.features) < flat.of:
        return
    until, groups = time.process_time() + SECONDS, grouped(read)
    for files in groups:
        table, beside = read[files[0]], [read[other[0]] for other in groups if other != files]
        rows = [column for one in (table, *beside) if one.rows == table.rows for column in one.columns]
        # The answer comes last in most tables.
        for label in reversed(table.columns):
            held = [column for column in rows if column is not label and _is_input(column)]
            # What has no number of its own in the input was left out, and that was somebody's choice.
            if len(held) != flat.of or not _can_be(label, labels if isinstance(labels, Labels) else None):
                continue
            lost = _lost(held, _codes(label), flat, until)
            if lost is not None:
                where = {id(column): file for file, one in read.items() for column in one.columns}
                named = tuple(LostColumn(where[id(one)], one.name, one.key) for one in lost[0])
                fact = LostColumns(named, label.name, flat.told, lost[1], lost[2], flat.features)
                words = f"with {', '.join(one.column for one in named)} the file tells {lost[1]:.3f} of {label.name}"
                yield fact, f"{named[0].file}: {words}, without {lost[2]:.3f}"
                return


def _can_be(column: Column, labels: Labels | None) -> bool:
    """Whether a column can be what the run was seen to train on."""
    import numpy as np

    values = column.numbers if column.numbers is not None else np.array(column.words or ())
    return labels is not None and len(values) > 0 and miss(values, labels) is not None


def _is_input(column: Column) -> bool:
    """Whether a column holds numbers of samples, and not the place of a row."""
    import numpy as np

    values = column.numbers
    if values is None or not np.isfinite(values).all():
        return False
    return not (column.whole and len(values) > 1 and bool((np.diff(values) == 1).mean() > 0.95))


def _codes(label: Column) -> NDArray[Any]:
    import numpy as np

    return label.numbers if label.numbers is not None else np.unique(label.words or (), return_inverse=True)[1]


def _lost(
    held: Sequence[Column], labels: NDArray[Any], flat: SaturatedFeatures, until: float
) -> tuple[list[Column], float, float] | None:
    """The fewest columns without which no more is told than the model is told; then what all tell, and the rest."""
    import numpy as np

    some = np.random.default_rng(0).permutation(len(labels))[:ROWS]
    y = labels[some].astype("float64")
    if float(y.std()) == 0.0 or not np.isfinite(y).all():
        return None
    values = np.stack([column.numbers[some] for column in held if column.numbers is not None], axis=1)
    everything = _told(values, range(len(held)), y, flat.classes)
    if everything < flat.told + AHEAD or (1 - flat.told) < 1.6 * (1 - everything):
        return None
    left, rest = list(range(len(held))), everything
    lost: list[int] = []
    while rest > flat.told + ALIKE:
        if len(lost) == min(MOST_LOST, len(flat.features)) or time.process_time() > until:
            return None
        without = {k: _told(values, [one for one in left if one != k], y, flat.classes) for k in left}
        least = min(without, key=lambda k: without[k])
        if told_by(values[:, least], y, flat.classes) > COPY:
            return None
        left.remove(least)
        lost.append(least)
        rest = without[least]
    each = sorted((goes_with(values[:, k], y, flat.classes) for k in left), reverse=True)
    # Where the others do not go with the label as what enters does, that is another label, or not what enters.
    alike = all(abs(a - b) < ALIKE for a, b in zip(each, flat.each, strict=False)) and rest > flat.told - ALIKE
    return ([held[k] for k in sorted(lost)], everything, rest) if alike else None


def _told(values: NDArray[Any], some: Sequence[int], y: NDArray[Any], classes: bool) -> float:
    kept = standardised(values[:, list(some)])
    return told_by_all(kept, y, classes) if kept.shape[1] else 0.0

"""Rows that come in groups of near copies, and the column that names the groups: a patient, a plant, a recording."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stetho.facts import Fact, GroupedRows, Labels, Siblings
from stetho.files.features import standardised
from stetho.files.parts import grouped, label_column
from stetho.files.rows import inputs_of, partner_of, pooled
from stetho.measure.series import Measured
from stetho.tables import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Rows that are looked at, in whole groups; the fewest groups, and rows to a group; columns and seconds.
ROWS, GROUPS, TO_A_GROUP, COLUMNS, SECONDS = 1600, 20, 1.5, 8, 4.0
# A name without what stands after its last mark.
FRONT = re.compile(r"^(.*[0-9A-Za-z])[^0-9A-Za-z]+[0-9A-Za-z]+$")
# Nearer by so much than rows of other groups, a row is a near copy.
NEARER = 0.5


def grouped_rows(read: Mapping[str, Table], known: Mapping[type[Fact], Fact]) -> Iterator[Measured]:
    """Of the columns that can name groups, the one whose groups are tightest; only where samples have siblings."""
    labels = known.get(Labels)
    if not isinstance(known.get(Siblings), Siblings) or not isinstance(labels, Labels):
        return
    until = time.process_time() + SECONDS
    every = grouped(read)
    found: list[GroupedRows] = []
    for files in every:
        chosen = label_column([read[file] for file in files], labels)
        if chosen is not None and time.process_time() < until:
            found += _in_group(files, read, *chosen, every, until)
    if found:
        one = max(found, key=lambda one: one.tight)
        named = f"the front of {one.column}" if one.front else one.column
        told = (
            f"{one.file}: {one.rows} rows in {one.groups} groups by {named}; the nearest row is of the same group and "
        )
        yield (
            one,
            told
            + f"less than half as far away as others in {one.tight:.0%}, {one.label} the same in {one.one_label:.0%}",
        )


def _in_group(
    files: list[str],
    read: Mapping[str, Table],
    label: str,
    in_classes: bool,
    every: Sequence[Sequence[str]],
    until: float,
) -> Iterator[GroupedRows]:
    import numpy as np

    tables = [read[file] for file in files]
    values = pooled(label, tables)
    if values is None:
        return
    whole = np.unique(values, return_inverse=True)[1].reshape(-1) if in_classes else values
    source = np.concatenate([np.full(table.rows, at) for at, table in enumerate(tables)])
    partner = partner_of(files, read, label, every)
    for column, front, part in _columns(tables, label, whole if in_classes else None):
        if time.process_time() > until:
            return
        chosen = _whole_groups(part)
        views = inputs_of(files, read, label, whole, partner, source, chosen, [column])
        tight = max((tightness(standardised(view), part[chosen]) for view in views if view.shape[1]), default=0.0)
        count = len(np.unique(part))
        yield GroupedRows(files[0], column, front, count, len(part), label, tight, _in_common(whole, part, in_classes))


def _columns(
    tables: Sequence[Table], label: str, classes: NDArray[Any] | None
) -> Iterator[tuple[str, bool, NDArray[Any]]]:
    """Columns of words or whole numbers with several rows to most values, and the fronts of words that are names."""
    import numpy as np

    left = COLUMNS
    for column in tables[0].columns:
        if column.name == label or column.key or not left or not (column.words or column.whole):
            continue
        values = pooled(column.name, tables)
        if values is None or (values.dtype.kind == "f" and not np.isfinite(values).all()):
            continue
        left -= 1
        yield from ((column.name, front, part) for front, part in _ways(values) if _can_be(part, classes))


def _ways(values: NDArray[Any]) -> Iterator[tuple[bool, NDArray[Any]]]:
    import numpy as np

    yield False, np.unique(values, return_inverse=True)[1].reshape(-1)
    if values.dtype.kind == "U":
        cut = [FRONT.match(str(value)) for value in values]
        if all(cut):
            yield True, np.unique([one[1] for one in cut if one], return_inverse=True)[1].reshape(-1)


def _can_be(part: NDArray[Any], classes: NDArray[Any] | None) -> bool:
    """Whether there are many groups of a few rows each, far more than classes."""
    import numpy as np

    _, counts = np.unique(part, return_counts=True)
    several = classes is None or len(counts) >= 4 * len(np.unique(classes))
    return (
        len(counts) >= GROUPS and len(part) >= TO_A_GROUP * len(counts) and counts.max() < 0.1 * len(part) and several
    )


def _whole_groups(part: NDArray[Any]) -> NDArray[Any]:
    """Rows to look at: all rows of as many groups as there is room for."""
    import numpy as np

    if len(part) <= ROWS:
        return np.arange(len(part))
    sizes = np.bincount(part)
    order = np.random.default_rng(0).permutation(len(sizes))
    kept = order[: max(1, int((np.cumsum(sizes[order]) <= ROWS).sum()))]
    return np.flatnonzero(np.isin(part, kept))


def tightness(view: NDArray[Any], part: NDArray[Any]) -> float:
    """The share of rows with company whose nearest row of their group is much nearer than any of the others."""
    import numpy as np

    squares = (view**2).sum(1)
    far = np.maximum(squares[:, None] - 2 * view @ view.T + squares[None], 0)
    np.fill_diagonal(far, np.inf)
    same = part[:, None] == part[None]
    within, beside = np.where(same, far, np.inf).min(1), np.where(same, np.inf, far).min(1)
    company = np.isfinite(within) & np.isfinite(beside)
    return float((within < NEARER**2 * beside)[company].mean()) if company.any() else 0.0


def _in_common(labels: NDArray[Any], part: NDArray[Any], in_classes: bool) -> float:
    """The share of labels that are the most frequent of their group, or of the variance that is between groups."""
    import numpy as np

    if not in_classes:
        sums, counts = np.bincount(part, labels), np.bincount(part)
        left = labels - (sums / np.maximum(1, counts))[part]
        return float(1 - left.var() / max(labels.var(), 1e-12))
    pairs, counts = np.unique(np.stack((part, labels)), axis=1, return_counts=True)
    most = np.zeros(int(part.max()) + 1)
    np.maximum.at(most, pairs[0], counts)
    return float(most.sum() / len(part))

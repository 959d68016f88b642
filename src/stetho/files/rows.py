"""What can be the inputs of the rows of some tables: other columns, a file beside each one, or one that all name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stetho.files.features import WORDS, few_kinds, views
from stetho.files.orders import spelled
from stetho.tables import Column, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray


def pooled(name: str, tables: Sequence[Table]) -> NDArray[Any] | None:
    """A column of all tables, one after the other; None where not every one has it."""
    import numpy as np

    held = [column for table in tables if (column := table.column(name)) is not None and len(column) == table.rows]
    if len(held) < len(tables):
        return None
    if all(column.numbers is not None for column in held):
        return np.concatenate([column.numbers for column in held if column.numbers is not None])
    if all(column.words for column in held):
        return np.array([word for column in held for word in column.words or ()])
    return None


def partner_of(
    files: Sequence[str], read: Mapping[str, Table], label: str, groups: Sequence[Sequence[str]]
) -> list[str]:
    """For each file the one of another kind that has a row for each of its rows, where every file has one.

    A file whose rows are named has no need of one that is as long by its place.
    """
    for group in groups:
        alike = len(group) == len(files) and list(group) != list(files)
        named = len(files) == 1 and alike and next(joined([read[files[0]]], label, read[group[0]]), None) is not None
        if alike and not named and all(read[a].rows == read[b].rows for a, b in zip(files, group, strict=True)):
            return list(group)
    return []


def inputs_of(
    files: Sequence[str],
    read: Mapping[str, Table],
    label: str,
    labels: NDArray[Any],
    partner: Sequence[str],
    source: NDArray[Any],
    chosen: NDArray[Any],
    left_out: Sequence[str] = (),
    words: int = WORDS,
) -> Iterator[NDArray[Any]]:
    """What can be the inputs of the rows: other columns, a file beside each one, or one file that all of them name."""
    import numpy as np

    tables = [read[file] for file in files]
    first = {at: int(np.flatnonzero(source == at)[0]) for at in range(len(files))}
    mine = [chosen[source[chosen] == at] - first[at] for at in range(len(files))]
    copies = [c.name for c in tables[0].columns if c.name != label and _copies(pooled(c.name, tables), labels)]
    yield from _views(tables, [label, *copies, *left_out], mine, words)
    if partner:
        beside = [read[file] for file in partner]
        yield from _views(
            beside, [], [_named(a, b)[rows] for a, b, rows in zip(tables, beside, mine, strict=True)], words
        )
    for file, table in read.items():
        if file not in files and file not in partner:
            for at in joined(tables, label, table):
                yield from _views([table], [], [at[chosen]], words)


def _copies(values: NDArray[Any] | None, labels: NDArray[Any]) -> bool:
    """Whether a column says the same as the labels in other words."""
    import numpy as np

    if values is None:
        return False
    kinds, codes = np.unique(values, return_inverse=True)
    count = len(np.unique(labels))
    return len(kinds) == count and len(set(zip(codes.reshape(-1).tolist(), labels.tolist(), strict=True))) == count


def _views(
    tables: Sequence[Table], left_out: Sequence[str], rows: Sequence[NDArray[Any]], words: int
) -> Iterator[NDArray[Any]]:
    import numpy as np

    kinds = few_kinds(tables)
    each = [views(table, left_out, some, kinds, words) for table, some in zip(tables, rows, strict=True) if len(some)]
    for k in range(min((len(one) for one in each), default=0)):
        if len({one[k].shape[1] for one in each}) == 1:
            yield np.concatenate([one[k] for one in each])


def _named(table: Table, other: Table) -> NDArray[Any]:
    """The row of another table that belongs to each row: the one that a column names by number, else the one beside."""
    import numpy as np

    for column in table.columns:
        if _numbers_rows(column, other.rows) and len(column) == other.rows:
            return column.numbers.astype(int)  # type: ignore[union-attr]
    return np.arange(table.rows)


def _numbers_rows(column: Column, rows: int) -> bool:
    import numpy as np

    return (
        column.whole
        and column.numbers is not None
        and bool(np.isfinite(column.numbers).all())
        and column.numbers.min() >= 0
        and column.numbers.max() < rows
        and len(np.unique(column.numbers)) == len(column.numbers)
    )


def joined(tables: Sequence[Table], label: str, other: Table) -> Iterator[NDArray[Any]]:
    """The row of one table for each row of all these tables, by a name that both have or by its number."""
    import numpy as np

    for column in tables[0].columns:
        held = [one for table in tables if (one := table.column(column.name)) is not None]
        names = [name for one in held for name in spelled(one)]
        if column.name == label or len(held) < len(tables) or len(set(names)) < max(1, len(names)):
            continue
        for theirs in other.columns:
            at = {name: row for row, name in enumerate(spelled(theirs))}
            if len(at) == other.rows and all(name in at for name in names):
                yield np.array([at[name] for name in names])
                return
        if all(_numbers_rows(one, other.rows) for one in held) and 2 * len(names) >= other.rows:
            yield np.array([int(name) for name in names])
            return

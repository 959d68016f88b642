"""Tables that name the same rows in different orders: what reads them side by side by place pairs strangers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from stetho.facts import OtherOrder, RowOrders
from stetho.measure.series import Measured
from stetho.tables import Column, Table

SHOWN = 20
LEAST_ROWS = 20
# Rows at the same place up to which two orders are different ones.
IN_PLACE = 0.9


def row_orders(read: Mapping[str, Table]) -> Iterator[Measured]:
    """Each two tables with a column that names the same rows."""
    named = {file: dict(names(table)) for file, table in read.items() if table.rows >= LEAST_ROWS}
    met, found = 0, []
    for (file, ours), (other, theirs) in combinations(named.items(), 2):
        shared = [(a, b) for a, keys in ours.items() for b, more in theirs.items() if set(keys) == set(more)]
        if not shared:
            continue
        met += 1
        a, b = shared[0]
        same = sum(x == y for x, y in zip(ours[a], theirs[b], strict=True)) / len(ours[a])
        if same < IN_PLACE:
            found.append(OtherOrder(file, a, other, b, len(ours[a]), same))
    if met:
        told = f"{met} pairs of tables name the same rows, in the same order"
        if found:
            one = found[0]
            told = f"{one.file} and {one.other} name the same {one.rows} rows, {one.in_place:.0%} at the same place"
        yield RowOrders(tuple(found[:SHOWN]), met), told


def names(table: Table) -> Iterator[tuple[str, Sequence[str]]]:
    """The columns in which every row has a name of its own."""
    for column in table.columns:
        keys = spelled(column)
        if keys and len(set(keys)) == len(keys) == table.rows:
            yield column.name, keys


def spelled(column: Column) -> list[str]:
    """Words, or whole numbers, which name rows as well; measured numbers do not."""
    if column.words is not None:
        return [word.strip() for word in column.words]
    if column.numbers is not None and column.whole and bool((column.numbers == column.numbers).all()):
        return [str(int(number)) for number in column.numbers]
    return []

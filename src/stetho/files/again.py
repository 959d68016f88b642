"""Rows that are in two files, or twice in one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from stetho.facts import RowsAgain, SharedRows
from stetho.measure.series import Measured, plural
from stetho.tables import Table

SHOWN = 20
WORD = re.compile(r"\w+")
# Words of a text from which on two that are alike are so by no chance.
LEAST_WORDS = 5
LEAST_ROWS, LEAST_NUMBERS = 20, 3
# The share of a file's rows from which on it is worth telling.
SHARE = 0.02


def shared_rows(read: Mapping[str, Table]) -> Iterator[Measured]:
    """Tables of the same columns, row by row."""
    kept = {file: keys for file, table in read.items() if (keys := row_keys(table))}
    if not kept:
        return
    found = [one for file, keys in kept.items() if (one := _again(file, keys)) is not None]
    for (file, mine), (other, theirs) in combinations(kept.items(), 2):
        if [c.name for c in read[file].columns] == [c.name for c in read[other].columns]:
            larger, smaller = (
                ((file, mine), (other, theirs)) if len(mine) >= len(theirs) else ((other, theirs), (file, mine))
            )
            inside = set(smaller[1])
            rows = [at for at, key in enumerate(larger[1]) if key in inside]
            if len(rows) > SHARE * len(smaller[1]):
                share = len(rows) / len(smaller[1])
                found.append(RowsAgain(larger[0], smaller[0], len(rows), len(larger[1]), min(1.0, share), rows[0]))
    found.sort(key=lambda one: -one.share)
    told = f"no rows come again in {plural(len(kept), 'table')}"
    if found:
        told = f"{found[0].rows} rows of {found[0].file} are in {found[0].other}{' twice' if _same(found[0]) else ''}"
    yield SharedRows(tuple(found[:SHOWN]), len(kept)), told


def _same(one: RowsAgain) -> bool:
    return one.file == one.other


def _again(file: str, keys: list[str]) -> RowsAgain | None:
    rows = repeats(keys)
    if len(rows) <= SHARE * len(keys):
        return None
    return RowsAgain(file, file, len(rows), len(keys), len(rows) / len(keys), rows[0])


def repeats(keys: list[str]) -> list[int]:
    """The rows that came before in the same table."""
    seen: set[str] = set()
    found = []
    for at, key in enumerate(keys):
        if key in seen:
            found.append(at)
        seen.add(key)
    return found


def row_keys(table: Table) -> list[str]:
    """Each row as one text; what only counts the rows is left out, as copies have numbers of their own."""
    import numpy as np

    if table.rows < LEAST_ROWS:
        return []
    numbers = [c for c in table.columns if c.numbers is not None and not _counts(c.numbers)]
    texts = [c.words for c in table.columns if c.words is not None and is_text(c.words)]
    if texts:
        # Of texts the words count, not their order, their case or what stands between them; other columns may be ids.
        return [
            "|".join(" ".join(sorted(WORD.findall(text[at].lower()))) for text in texts) for at in range(table.rows)
        ]
    words = [c.words for c in table.columns if c.words is not None and len(set(c.words)) < len(c.words)]
    rich = [c for c in numbers if c.numbers is not None and len(np.unique(c.numbers)) > 20]
    if len(rich) < LEAST_NUMBERS:
        return []
    block = np.stack([c.numbers for c in numbers if c.numbers is not None], axis=1)
    rows = [row.tobytes().hex() for row in block]
    return ["|".join((row, *(column[at] for column in words))) for at, row in enumerate(rows)]


def is_text(values: Sequence[str]) -> bool:
    """Whether a column holds texts of several words, hardly any of them twice by chance."""
    several = sum(len(WORD.findall(value)) >= LEAST_WORDS for value in values)
    return several > 0.8 * len(values) and len(set(values)) > 0.5 * len(values)


def _counts(values: object) -> bool:
    """Whether a column only numbers the rows."""
    import numpy as np

    steps = np.diff(np.asarray(values))
    return bool(len(steps)) and bool((steps == 1).mean() > 0.95)

"""The rows of tables as numbers that a simple model can be fitted to."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from stetho.tables import Column, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Numbers of a row that are looked at; numbers that stand for the words of a text; values of a column of kinds.
MOST, WORDS, KINDS = 256, 256, 32
# Beyond so many spreads a number says no more.
FARTHEST = 5.0
# Letters of one word up to which a word that every row has of its own is a name.
NAME = 40


def views(
    table: Table,
    left_out: Sequence[str],
    rows: NDArray[Any],
    kinds: dict[str, dict[str, int]],
    words: int = WORDS,
) -> list[NDArray[Any]]:
    """Some rows of a table, without some columns, as numbers; signals and pictures by their frequencies as well.

    `kinds` numbers the words of columns that hold few different ones, alike in all tables that share it.
    """
    import numpy as np

    blocks = list(_blocks(table, left_out, rows, kinds, words))
    found = [np.concatenate([flat(block, max(MOST, words)) for block in blocks], axis=1)] if blocks else []
    if any(block.ndim > 2 for block in blocks):
        turned = [abs(np.fft.rfft(block, axis=-1)) if block.ndim > 2 else block for block in blocks]
        found.append(np.concatenate([flat(block) for block in turned], axis=1))
    return found


def flat(block: NDArray[Any], most: int = MOST) -> NDArray[Any]:
    """One row of numbers to a sample, evenly thinned."""
    import numpy as np

    wide = block.reshape(len(block), -1)
    if wide.shape[1] > most:
        wide = wide[:, np.linspace(0, wide.shape[1] - 1, most).astype(int)]
    return wide.astype("float64")


def standardised(block: NDArray[Any], most: int = MOST) -> NDArray[Any]:
    """Each column with mean 0 and spread 1; what does not vary is left out."""
    import numpy as np

    block = flat(np.where(np.isfinite(block), block, np.nan), most)
    middle = np.nan_to_num(np.nanmean(block, axis=0)) if len(block) else 0.0
    block = np.where(np.isfinite(block), block, middle) - middle
    spread = block.std(0)
    kept = spread > 1e-12
    return np.clip(block[:, kept] / spread[kept], -FARTHEST, FARTHEST)  # type: ignore[no-any-return]


def _blocks(
    table: Table, left_out: Sequence[str], rows: NDArray[Any], kinds: dict[str, dict[str, int]], size: int
) -> Iterator[NDArray[Any]]:
    import numpy as np

    keyed = set()
    for key, array in table.arrays.items():
        if array.ndim > 1 and array.dtype.kind in "fiub":
            keyed.add(key)
            yield array[rows].astype("float64")
    for column in table.columns:
        if column.name in left_out or column.key in keyed:
            continue
        if column.numbers is not None and not names_rows(column):
            yield column.numbers[rows][:, None]
        elif column.words and len(column.words) == table.rows:
            words = [column.words[row] for row in rows]
            if column.name in kinds:
                yield np.eye(KINDS + 1)[[kinds[column.name].get(word, KINDS) for word in words]]
            elif not names_rows(column):
                yield bag(words, size)


def few_kinds(tables: Sequence[Table]) -> dict[str, dict[str, int]]:
    """The words of the columns that hold few different ones in all of these tables."""
    found = {}
    for column in tables[0].columns:
        held = [other.words for table in tables if (other := table.column(column.name)) is not None and other.words]
        words = sorted({word for one in held for word in one}) if len(held) == len(tables) else []
        if 1 < len(words) <= KINDS:
            found[column.name] = {word: number for number, word in enumerate(words)}
    return found


def names_rows(column: Column) -> bool:
    """Whether every row has a name or a number of its own in it, which says nothing of the row."""
    import numpy as np

    if column.words is not None:
        short = all(len(word) < NAME and " " not in word.strip() for word in column.words)
        return short and len(set(column.words)) == len(column.words)
    return column.whole and column.numbers is not None and len(np.unique(column.numbers)) == len(column.numbers)


def bag(texts: Sequence[str], size: int = WORDS) -> NDArray[Any]:
    """How often words come in texts, by numbers that stand for them; of one long word, its groups of three letters."""
    import numpy as np

    found = np.zeros((len(texts), size))
    for row, text in enumerate(texts):
        parts = re.findall(r"\w+", text.lower())
        if len(parts) < 2:
            parts = [text[at : at + 3] for at in range(max(1, len(text) - 2))]
        for part in parts:
            found[row, zlib.crc32(part.encode()) % size] += 1
    return np.log1p(found)

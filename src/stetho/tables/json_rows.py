"""Rows of JSON: one object to a line, or a list of them; and what a plain JSON file holds beside."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stetho.tables.table import Change, Column, Table

# Numbers in one entry of a row, such as a spectrum.
WIDEST = 2048


def read(path: Path, content: bytes) -> Table | None:
    """A table of rows, or a table without any that holds its numbers loosely; None for what is no JSON."""
    head = content[:256].lstrip()
    if not head.startswith((b"{", b"[")):
        return None
    text = content.decode("utf-8")
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    if isinstance(whole, list):
        return _table(whole, text, lines=False)
    if isinstance(whole, dict):
        return Table((), 0, lambda change: content, loose={"": whole})
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    return _table(rows, text, lines=True)


def _table(rows: list[Any], text: str, *, lines: bool) -> Table | None:
    if len(rows) < 3 or not all(isinstance(row, dict) for row in rows):
        return None
    names = [name for name in rows[0] if all(name in row for row in rows)]
    columns = tuple(column for name in names for column in _columns(name, [row[name] for row in rows]))

    def written(change: Change) -> bytes:
        fresh = [dict(row) for row in rows]
        touched: set[int] = set()
        for name, values in change.items():
            column = next(one for one in columns if one.name == name)
            key = column.key or name
            at = int(name[len(key) + 1 : -1]) if column.key else None
            for row, value in values.items():
                new: Any = int(value) if column.whole and not isinstance(value, str) and value == int(value) else value
                if at is not None:
                    new = [*fresh[row][key][:at], new, *fresh[row][key][at + 1 :]]
                fresh[row][key] = new
                touched.add(row)
        if not lines:
            return json.dumps(fresh).encode()
        kept = [line for line in text.splitlines(keepends=True) if line.strip()]
        for row in touched:
            kept[row] = json.dumps(fresh[row]) + "\n"
        return "".join(kept).encode()

    def arranged(order: Sequence[int]) -> bytes:
        left = [rows[at] for at in order]
        return "".join(json.dumps(row) + "\n" for row in left).encode() if lines else json.dumps(left).encode()

    def dropped(gone: Sequence[int]) -> bytes:
        without = set(gone)
        return arranged([at for at in range(len(rows)) if at not in without])

    return Table(columns, len(rows), written, dropped, arranged, 1 if lines else None)


def _columns(name: str, values: list[Any]) -> Iterator[Column]:
    import numpy as np

    if all(value is None or isinstance(value, (bool, int, float)) for value in values):
        numbers = np.array([math.nan if value is None else float(value) for value in values])
        yield Column(name, None, numbers, whole=all(isinstance(value, int) for value in values))
    elif all(isinstance(value, str) for value in values):
        yield Column(name, None, None, values)
    elif all(isinstance(value, list) for value in values):
        wide = len(values[0])
        flat = [len(value) == wide and all(isinstance(v, (int, float, type(None))) for v in value) for value in values]
        if 0 < wide <= WIDEST and all(flat):
            table = np.array([[math.nan if v is None else float(v) for v in value] for value in values])
            whole = all(isinstance(v, int) for v in values[0])
            yield from (Column(f"{name}[{k}]", name, table[:, k], whole=whole) for k in range(wide))

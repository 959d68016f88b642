"""Labels that come in parts, such as a file to a session or a column of annotators: does each agree with the rest?"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from stetho.facts import DataFiles, Fact, LabelPart, LabelParts, Labels, RawSamples
from stetho.files.agreement import LEAST, MOVES, Comparison, Neighbourhood, Rows
from stetho.files.features import names_rows, standardised
from stetho.files.leaks import spread_alike
from stetho.files.rows import inputs_of, joined, partner_of, pooled
from stetho.measure.series import Measured
from stetho.tables import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Rows that are looked at, all parts together, and the seconds of a processor that it may take.
ROWS, SECONDS = 3000, 6.0
# Parts, and columns that may name them.
FEWEST, MOST, COLUMNS = 3, 40, 3
# By how much the classes of a column may be shared out otherwise than those that the run was seen to train on.
SHARED_ALIKE = 0.12


def label_parts(read: Mapping[str, Table], known: Mapping[type[Fact], Fact]) -> Iterator[Measured]:
    """Every group of tables of one kind that holds what the run trained on."""
    seen, until = known.get(Labels), time.process_time() + SECONDS
    labels = seen if isinstance(seen, Labels) else None
    found: list[LabelPart] = []
    looked_at = 0
    groups = grouped(read)
    for files in groups:
        chosen = label_column([read[file] for file in files], labels) if time.process_time() < until else None
        if chosen is not None:
            count, parts = _in_group(files, read, *chosen, groups, _width(known), until)
            looked_at, found = looked_at + count, found + parts
    if found:
        found.sort(key=lambda one: one.agreement)
        least = found[0]
        told = f"labels of {looked_at} parts compared with what the others say of their inputs: {called(least)} agrees "
        yield LabelParts(tuple(found), looked_at), f"{told}{least.agreement:.2f}, the others {least.among_others:.2f}"


def called(one: LabelPart) -> str:
    """A part in words."""
    return f"{one.file}, rows with {one.by} {one.part}" if one.by else one.file


def grouped(read: Mapping[str, Table]) -> list[list[str]]:
    """Files with the same columns, in the order of their names."""
    kinds: dict[tuple[object, ...], list[str]] = {}
    for file, table in sorted(read.items()):
        shapes = tuple((key, array.shape[1:]) for key, array in table.arrays.items())
        names = () if shapes else tuple(column.name for column in table.columns)
        if table.rows and (shapes or names):
            kinds.setdefault((os.path.splitext(file)[1], names, shapes), []).append(file)
    return list(kinds.values())


def label_column(tables: Sequence[Table], labels: Labels | None) -> tuple[str, bool] | None:
    """The column whose values, over all tables, are shared out most like the labels that the run trained on, and
    whether they are classes; the last one where these were not seen, or are numbers, which may have been rescaled."""
    columns = {c.name: values for c in tables[0].columns if (values := pooled(c.name, tables)) is not None}
    fits = {name: far for name, values in columns.items() if labels and (far := miss(values, labels)) is not None}
    if fits and labels is not None:
        # The answer comes last in most tables; where two columns are each other's copy, the last one is the label.
        return min(reversed(fits), key=lambda name: fits[name]), labels.classes is not None
    if labels is not None and labels.classes is not None:
        return None
    last = next(reversed(columns), None)
    kind = _kind(columns[last]) if last is not None else None
    if last is None or kind is None or (labels is not None and kind == "classes"):
        return None
    return last, kind == "classes"


def _kind(values: NDArray[Any]) -> str | None:
    """Whether values can be classes or numbers; None for names and for what is the same throughout."""
    import numpy as np

    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return None
    kinds = len(np.unique(values))
    if 2 <= kinds <= (50 if values.dtype.kind != "f" else 20):
        return "classes"
    return "numbers" if values.dtype.kind == "f" and kinds > 20 else None


def miss(values: NDArray[Any], labels: Labels) -> float | None:
    """How far a column is from the labels that the run was seen to train on; None where it cannot be them."""
    import numpy as np

    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return None
    if labels.classes is None:
        return spread_alike(values, labels) if values.dtype.kind == "f" and len(np.unique(values)) > 10 else None
    _, counts = np.unique(values, return_counts=True)
    if not 2 <= len(counts) <= 50 or abs(len(counts) - labels.classes) > 0.1 * labels.classes:
        return None
    ours = sorted((one.count / max(1, labels.counted) for one in labels.counts), reverse=True)
    theirs = sorted(counts / len(values), reverse=True)
    size = max(len(ours), len(theirs))
    pairs = zip(ours + [0.0] * (size - len(ours)), theirs + [0.0] * (size - len(theirs)), strict=True)
    apart = sum(abs(a - b) for a, b in pairs) / 2
    return apart if apart < SHARED_ALIKE else None


def _in_group(
    files: list[str],
    read: Mapping[str, Table],
    label: str,
    in_classes: bool,
    groups: Sequence[Sequence[str]],
    width: int | None,
    until: float,
) -> tuple[int, list[LabelPart]]:
    """How many parts were compared in one group, and those of them that stand out."""
    import numpy as np

    tables = [read[file] for file in files]
    values = pooled(label, tables)
    if values is None or len(values) < FEWEST * LEAST:
        return 0, []
    words, codes = np.unique(values, return_inverse=True)
    whole = codes.reshape(-1) if in_classes else values
    source = np.concatenate([np.full(table.rows, at) for at, table in enumerate(tables)])
    chosen = np.arange(len(values))
    if len(values) > ROWS:
        chosen = np.sort(np.random.default_rng(0).choice(len(values), ROWS, replace=False))
    partner = partner_of(files, read, label, groups)
    elsewhere = bool(partner) or any(
        next(joined(tables, label, other), None) is not None for file, other in read.items() if file not in files
    )
    named = list(_partitions(tables, label, source, chosen))
    named = [one for one in named if not one[0] or elsewhere or not _fed(one[0], tables[0], label, width)]
    if not named:
        return 0, []
    every = [standardised(view) for view in inputs_of(files, read, label, whole, partner, source, chosen)]
    spaces = [Neighbourhood(view) for view in every if view.shape[1]]
    held = tables[0].column(label)
    looked_at, found = 0, []
    for by, names, part in named:
        if not spaces or time.process_time() > until:
            break
        moved = {move: _moved(whole, part * len(tables) + source, move)[chosen] for move in MOVES}
        place = None if by else np.concatenate([np.arange(table.rows) for table in tables])[chosen]
        rows = Rows(tuple(every), whole[chosen], len(words) if in_classes else None, moved, place)
        beside = Comparison(rows, spaces, part[chosen])
        looked_at += len(beside.by)
        for one in beside.told():
            mine = np.flatnonzero(part == one.part)
            # Where the rows of a part are in several files, the one with most of them is named.
            file = int(np.bincount(source[mine]).argmax())
            told = {key: value for key, value in asdict(one).items() if key != "part"}
            beside_it = partner[file] if partner else ""
            where = files[file], label, held.key if held is not None else None, by, names[one.part] if by else ""
            found.append(LabelPart(*where, beside_it, rows.classes, len(mine), **told))
    return looked_at, found


def _moved(labels: NDArray[Any], part: NDArray[Any], move: tuple[int, bool]) -> NDArray[Any]:
    """The labels of each part moved down by some rows, or in the opposite order; what falls off comes in again."""
    import numpy as np

    found = labels.copy()
    for one in np.unique(part):
        at = np.flatnonzero(part == one)
        found[at] = rearranged(labels[at], *move)
    return found


def rearranged(values: NDArray[Any], shift: int, turned: bool) -> NDArray[Any]:
    """Labels of one part, moved down by some rows or in the opposite order."""
    import numpy as np

    return values[::-1] if turned else np.roll(values, shift)


def _partitions(
    tables: Sequence[Table], label: str, source: NDArray[Any], chosen: NDArray[Any]
) -> Iterator[tuple[str, list[str], NDArray[Any]]]:
    """The ways in which the rows come in parts: by file, and by each column of a few words or numbers."""
    import numpy as np

    def enough(part: NDArray[Any]) -> bool:
        _, counts = np.unique(part[chosen], return_counts=True)
        return len(counts) <= MOST and sum(int(count) >= LEAST for count in counts) >= FEWEST

    if enough(source):
        yield "", [], source
    left = COLUMNS
    for column in tables[0].columns:
        if column.name == label or not left or not (column.words or column.whole):
            continue
        values = pooled(column.name, tables)
        if values is None or (values.dtype.kind == "f" and not np.isfinite(values).all()):
            continue
        names, part = np.unique(values, return_inverse=True)
        if FEWEST <= len(names) <= MOST and enough(part.reshape(-1)):
            left -= 1
            yield column.name, [_spelled(name) for name in names], part.reshape(-1)


def _width(known: Mapping[type[Fact], Fact]) -> int | None:
    """How many numbers of a sample enter the model, where they are a plain row of numbers."""
    samples = known.get(RawSamples)
    shapes = {one.shape for one in samples.samples} if isinstance(samples, RawSamples) else set()
    shape = shapes.pop() if len(shapes) == 1 else ()
    return shape[0] if len(shape) == 1 else None


def _fed(by: str, table: Table, label: str, width: int | None) -> bool:
    """Whether a column may be one of the model's inputs, as kinds of rows are that differ by nature.

    It is none where inputs are texts or lists, and where the other columns alone fill the input.
    """
    others = [column for column in table.columns if column.name not in (by, label)]
    if any(column.key or (column.words and not names_rows(column)) for column in others):
        return False
    return width is None or width > sum(column.numbers is not None and not names_rows(column) for column in others)


def _spelled(name: Any) -> str:
    return f"{name:g}" if not isinstance(name, str) else str(name)


def rows_of(table: Table, one: LabelPart) -> NDArray[Any]:
    """The rows of a table that are of a part."""
    import numpy as np

    if not one.by:
        return np.arange(table.rows)
    values = pooled(one.by, [table])
    names = [_spelled(value) for value in values] if values is not None else []
    return np.flatnonzero(np.array([name == one.part for name in names], dtype=bool))


def files_of(one: LabelPart, known: Mapping[type[Fact], Fact]) -> list[str]:
    """The files that hold rows of a part, the one that is named first."""
    files = known.get(DataFiles)
    if not one.by or not isinstance(files, DataFiles):
        return [one.file]
    kind = next((other.columns for other in files.files if other.file == one.file), ())
    alike = [other.file for other in files.files if other.columns == kind and other.read is not None]
    return [one.file, *(file for file in alike if file != one.file)]

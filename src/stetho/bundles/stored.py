"""What was read of an artifact, as lines of JSON and back: series as columns of numbers, facts, flaws.

Each line is an object with one key. `column` is an array of numbers that series refer to by its place among them:
`floats` as they are, `differences` for whole numbers, each less the one before it. `series`, `reading` and `flaw` are
the pieces, in the order in which the reader gave them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from stetho import codec
from stetho.evidence import Json, Source
from stetho.facts import FACTS, Fact
from stetho.logged.known import Known
from stetho.reader import Flaw, Piece, Reading
from stetho.series import Series, Unit

if TYPE_CHECKING:
    from stetho.bundles.cover import Cover

WHOLE, REAL = ("steps", "at"), ("values", "epochs", "times")
# Points beside each place at which steps go back are kept of a series that is thinned.
MOST_FALLS = 200


class Unfit(ValueError):
    """A line that no bundle of ours has."""


def lines_of(pieces: Iterable[Piece], cover: Cover, points: int | None = None) -> bytes:
    """The pieces as text, of series at most so many points."""
    written: list[str] = []
    columns: dict[tuple[str, bytes], int] = {}

    def add(value: Json) -> None:
        written.append(json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")))

    def column(array: Any, whole: bool) -> int | None:
        if array is None:
            return None
        exact = np.ascontiguousarray(array, dtype=np.int64 if whole else np.float64)
        key = ("whole" if whole else "real", exact.tobytes())
        if key not in columns:
            columns[key] = len(columns)
            add({"column": {"differences": differences(exact)} if whole else {"floats": reals(exact)}})
        return columns[key]

    for piece in pieces:
        if isinstance(piece, Series):
            one = thinned(piece, points)
            places = {name: column(getattr(one, name), name in WHOLE) for name in (*REAL, *WHOLE)}
            said = {"name": cover.text(one.name), "file": cover.path(one.file), "run": cover.text(one.run)}
            add({"series": {**said, "unit": one.unit, **places}})
        elif isinstance(piece, Reading):
            add({"reading": {**known_as(piece.fact, cover), "summary": cover.text(piece.summary), "line": piece.line,
                             "run": cover.text(piece.run)}})  # fmt: skip
        else:
            add({"flaw": {**asdict(piece), "summary": cover.text(piece.summary)}})
    return "".join(f"{line}\n" for line in written).encode("ascii")


def known_as(fact: Fact | None, cover: Cover) -> dict[str, Json]:
    return {"fact": fact.fact, "data": cover.json(codec.encode(fact))} if fact is not None else {"fact": None}


def differences(array: Any) -> list[Json]:
    """Whole numbers, each less the one before; beyond what 64 bits hold they go round, and come back the same."""
    return list(np.diff(array, prepend=array.dtype.type(0)).tolist())


def reals(array: Any) -> list[Json]:
    listed = array.tolist()
    return listed if bool(np.isfinite(array).all()) else [v if math.isfinite(v) else str(v) for v in listed]


def numbers_in(pieces: Iterable[Piece], points: int | None) -> int:
    """How many numbers the series of some pieces have, those that several share counted again."""
    return sum(
        min(len(one), points or len(one)) * sum(getattr(one, name) is not None for name in (*REAL, *WHOLE))
        for one in pieces
        if isinstance(one, Series)
    )


def thinned(series: Series, points: int | None) -> Series:
    """The series with about so many points, evenly spaced; its ends, extremes, first NaN and restarts stay."""
    if points is None or len(series) <= points:
        return series
    values = series.values
    picked = set(range(0, len(values), len(values) // points + 1)) | {len(values) - 1}
    finite = np.flatnonzero(np.isfinite(values))
    if len(finite):
        picked |= {int(finite[np.argmax(values[finite])]), int(finite[np.argmin(values[finite])])}
    picked |= set(np.flatnonzero(~np.isfinite(values))[:1].tolist())
    if series.steps is not None:
        falls = np.flatnonzero(np.diff(series.steps) < 0)[:MOST_FALLS]
        picked |= {*falls.tolist(), *(falls + 1).tolist(), int(np.argmin(series.steps)), int(np.argmax(series.steps))}
    where = np.array(sorted(picked))
    arrays = {name: getattr(series, name) for name in (*REAL, *WHOLE)}
    return replace(series, **{name: array[where] for name, array in arrays.items() if array is not None})


def pieces_in(lines: Iterable[bytes]) -> Iterator[Piece]:
    """The pieces back from their lines; raises Unfit for what no bundle has."""
    columns: list[Any] = []
    for line in lines:
        kind, value = entry(line)
        if kind == "column":
            columns.append(array_of(value))
        elif kind == "series":
            yield series_of(value, columns)
        elif kind == "reading":
            line_number, run = value.get("line"), value.get("run", "")
            yield codec.checked(Reading(fact_of(value), value.get("summary", ""), line_number, run))
        elif kind == "flaw":
            yield codec.checked(codec.decode(Flaw, value))
        else:
            raise Unfit(f"'{kind[:40]}' is not known")


def entry(line: bytes) -> tuple[str, dict[str, Any]]:
    value = json.loads(line)
    if not isinstance(value, dict) or len(value) != 1 or not isinstance(next(iter(value.values())), dict):
        raise Unfit("a line is not an object with one key")
    return next(iter(value.items()))


def array_of(value: dict[str, Any]) -> Any:
    """A column's numbers."""
    whole, real = value.get("differences"), value.get("floats")
    listed = whole if whole is not None else real
    kinds = (int,) if whole is not None else (int, float, str)
    if not isinstance(listed, list) or any(type(one) not in kinds for one in listed):
        raise Unfit("a column is not a list of numbers")
    if whole is not None:
        return np.cumsum(np.array(whole, dtype=np.int64), dtype=np.int64)
    return np.array([float(one) for one in listed], dtype=np.float64)


def series_of(value: dict[str, Any], columns: Sequence[Any]) -> Series:
    arrays: dict[str, Any] = {}
    for name in (*REAL, *WHOLE):
        place = value.get(name)
        if place is None:
            arrays[name] = None
        elif isinstance(place, int) and 0 <= place < len(columns):
            arrays[name] = columns[place]
        else:
            raise Unfit("a series refers to a column that is not there")
        if arrays[name] is not None and arrays[name].dtype != (np.int64 if name in WHOLE else np.float64):
            raise Unfit("a series has numbers of another kind")
    words = [value.get(name) for name in ("name", "file", "unit", "run")]
    lengths = {len(array) for array in arrays.values() if array is not None}
    if arrays["values"] is None or len(lengths) != 1 or not all(isinstance(word, str) for word in words):
        raise Unfit("a series is not whole")
    name, file, unit, run = map(str, words)
    if unit not in get_args(Unit):
        raise Unfit(f"'{unit[:40]}' is no unit")
    return Series(name, file=file, unit=unit, run=run, **arrays)  # type: ignore[arg-type]


def fact_of(value: dict[str, Any]) -> Fact:
    kind = FACTS.get(str(value.get("fact")))
    if kind is None:
        raise Unfit(f"there is no fact '{str(value.get('fact'))[:40]}'; a newer stetho may know it")
    return codec.checked(codec.decode(kind, value.get("data")))


def fact_lines(facts: Iterable[tuple[str, Known]], cover: Cover) -> bytes:
    """Facts that were worked out from whole series, each with its run."""
    written = []
    for run, one in facts:
        source = {**asdict(one.source), "file": cover.path(one.source.file) if one.source.file else None}
        said = {"run": cover.path(run), "words": cover.text(one.words), "source": source}
        written.append(json.dumps({"fact": {**known_as(one.fact, cover), **said}}, ensure_ascii=True, allow_nan=False))
    return "".join(f"{line}\n" for line in written).encode("ascii")


def facts_in(lines: Iterable[bytes]) -> Iterator[tuple[str, Known]]:
    for line in lines:
        kind, value = entry(line)
        if kind != "fact" or not isinstance(value.get("run"), str):
            raise Unfit("a line is no fact of a run")
        source = codec.decode(Source, value.get("source"))
        fact = fact_of(value) if value.get("fact") is not None else None
        yield str(value["run"]), codec.checked(Known(fact, value.get("words", ""), source))

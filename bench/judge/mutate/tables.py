"""Data files of a program as tables with labels and features: CSV, rows of JSON, and arrays of NumPy."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from bench.judge.mutate.program import Program

LABELS = (
    "label", "labels", "target", "targets", "y", "class", "class_id", "cls", "answer", "outcome", "category", "state",
    "species", "species_id", "topic", "topics", "desk",
)  # fmt: skip
NOT_FEATURES = re.compile(r"(?i)(^|_)(id|index|key|time|date|timestamp|split|name|path|file)(_|$)|^(t|step|day|hour)$")
JUDGING = re.compile(r"(?i)(^|[/_.-])(val|valid|validation|test|dev|holdout|eval)([/_.-]|$)")
LARGEST, FEWEST = 40_000_000, 50


class Table(Protocol):
    """Rows with a label and features by name."""

    file: str
    label: str

    @property
    def rows_count(self) -> int: ...
    @property
    def features(self) -> Sequence[str]: ...
    def column(self, name: str) -> list[Any]: ...
    def changed(self, columns: Mapping[str, Sequence[Any]]) -> bytes: ...
    def extended(self, other: Table) -> bytes: ...


class Rows:
    """A text file with one row per line: CSV, or JSON objects."""

    def __init__(self, path: Path, file: str) -> None:
        self.path, self.file = path, file
        self.json = path.suffix == ".jsonl"

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        text = self.path.read_text(encoding="utf-8")
        if self.json:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return list(csv.DictReader(io.StringIO(text), delimiter=self._delimiter))

    @property
    def _delimiter(self) -> str:
        return "\t" if self.path.suffix == ".tsv" else ","

    @property
    def rows_count(self) -> int:
        return len(self.rows)

    @property
    def label(self) -> str:
        return next((name for name in self.rows[0] if name.lower() in LABELS), "") if self.rows else ""

    @cached_property
    def features(self) -> list[str]:
        named = [name for name in self.rows[0] if name != self.label and not NOT_FEATURES.search(name)]
        return [name for name in named if all(_is_number(row.get(name)) for row in self.rows[:50])]

    def column(self, name: str) -> list[Any]:
        return [row[name] for row in self.rows]

    def changed(self, columns: Mapping[str, Sequence[Any]]) -> bytes:
        fresh = [{**row, **{name: columns[name][i] for name in columns}} for i, row in enumerate(self.rows)]
        return self._written(fresh)

    def extended(self, other: Table) -> bytes:
        assert isinstance(other, Rows)
        return self._written([*self.rows, *other.rows])

    def _written(self, rows: list[dict[str, Any]]) -> bytes:
        if self.json:
            return "".join(json.dumps(row) + "\n" for row in rows).encode()
        out = io.StringIO()
        end = "\r\n" if b"\r\n" in self.path.read_bytes()[:4096] else "\n"
        writer = csv.DictWriter(out, list(self.rows[0]), delimiter=self._delimiter, lineterminator=end)
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue().encode()


class Arrays:
    """An archive of arrays, one of which is the labels and one the inputs."""

    def __init__(self, path: Path, file: str) -> None:
        self.path, self.file = path, file

    @cached_property
    def arrays(self) -> dict[str, np.ndarray]:
        with np.load(self.path, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}

    @property
    def rows_count(self) -> int:
        return max((len(array) for array in self.arrays.values() if array.ndim), default=0)

    @property
    def label(self) -> str:
        return next((name for name in self.arrays if name.lower() in LABELS and self.arrays[name].ndim == 1), "")

    @property
    def inputs(self) -> str:
        """The table of real numbers that has a row for every label."""
        flat = [name for name, array in self.arrays.items() if array.ndim == 2 and array.dtype.kind == "f"]
        return next((name for name in flat if name != self.label and len(self.arrays[name]) == self.rows_count), "")

    @property
    def features(self) -> list[str]:
        return [f"{self.inputs}[:, {i}]" for i in range(self.arrays[self.inputs].shape[1])] if self.inputs else []

    def column(self, name: str) -> list[Any]:
        array, _, index = name.partition("[:, ")
        found = self.arrays[array]
        return list(found[:, int(index.rstrip("]"))] if index else found)

    def changed(self, columns: Mapping[str, Sequence[Any]]) -> bytes:
        fresh = {name: array.copy() for name, array in self.arrays.items()}
        for name, values in columns.items():
            array, _, index = name.partition("[:, ")
            if index:
                fresh[array][:, int(index.rstrip("]"))] = values
            else:
                fresh[array] = np.asarray(values, dtype=fresh[array].dtype)
        return archived(fresh)

    def extended(self, other: Table) -> bytes:
        assert isinstance(other, Arrays)
        longer = {
            name: np.concatenate([array, other.arrays[name]]) if array.ndim and len(array) == self.rows_count else array
            for name, array in self.arrays.items()
        }
        return archived(longer)


def archived(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Arrays as an archive that is the same for the same arrays: without the time of day."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in arrays.items():
            one = io.BytesIO()
            np.save(one, array)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), one.getvalue())
    return out.getvalue()


def _is_number(value: Any) -> bool:
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError):
        return False


def tables(program: Program) -> list[Table]:
    """The data files, those to train on first; small ones without labels are no data, and caches are made of data."""
    found: list[Table] = []
    for path, file in _files(program):
        if path.suffix in (".npz", ".csv", ".tsv", ".jsonl") and "cache" not in file:
            one = Arrays(path, file) if path.suffix == ".npz" else Rows(path, file)
            if one.rows_count > FEWEST or (one.label and one.features):
                found.append(one)
    return sorted(found, key=lambda one: bool(JUDGING.search(one.file)))


def labelled(found: Sequence[Table]) -> list[Table]:
    """Those whose labels are known."""
    return [one for one in found if one.label]


def for_training(program: Program) -> list[Table]:
    """The data files to train on, the largest first."""
    held = [one for one in tables(program) if not JUDGING.search(one.file)]
    return sorted(held, key=lambda one: (-one.rows_count, one.file))


def for_judging(program: Program) -> list[Table]:
    return [one for one in tables(program) if JUDGING.search(one.file)]


def _files(program: Program) -> Iterator[tuple[Path, str]]:
    if program.folder is None:
        return
    for path in sorted(program.folder.rglob("*")):
        if path.is_file() and path.suffix not in (".py", ".toml") and 0 < path.stat().st_size < LARGEST:
            yield path, path.relative_to(program.folder).as_posix()


def statistics(program: Program) -> Iterator[tuple[Path, str]]:
    """Files that hold a mean and a spread."""
    for path, file in _files(program):
        if path.suffix == ".json" and _told(json.loads(path.read_text(encoding="utf-8"))):
            yield path, file


def _told(found: object) -> bool:
    """Whether something, or anything in it, has a mean and a spread."""
    if not isinstance(found, dict):
        return False
    return ("mean" in found and bool({"std", "scale"} & set(found))) or any(map(_told, found.values()))

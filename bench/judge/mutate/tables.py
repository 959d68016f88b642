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

LABELS = ("label", "labels", "target", "targets", "y", "class", "class_id", "cls", "answer", "outcome")
INPUTS = ("x", "inputs", "features", "data", "X")
NOT_FEATURES = re.compile(r"(?i)(^|_)(id|index|key|time|date|timestamp|split|name|path|file)(_|$)|^(t|step|day|hour)$")
JUDGING = re.compile(r"(?i)(^|[/_.-])(val|valid|validation|test|dev|holdout|eval)([/_.-]|$)")
LARGEST = 40_000_000


class Table(Protocol):
    """Rows with a label and features by name."""

    file: str
    label: str

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
    def label(self) -> str:
        """The column that is called so; of many rows of a CSV without one, the last column, where it is a number."""
        names = list(self.rows[0]) if self.rows else []
        known = [name for name in names if name.lower() in LABELS]
        if not known and not self.json and len(self.rows) > 99 and _is_number(self.rows[0][names[-1]]):
            known = [name for name in names[-1:] if not NOT_FEATURES.search(name)]
        return known[0] if known else ""

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
    def label(self) -> str:
        return next((name for name in self.arrays if name.lower() in LABELS), "")

    @property
    def inputs(self) -> str:
        return next((name for name in self.arrays if name in INPUTS and self.arrays[name].ndim == 2), "")

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
        rows = len(self.arrays[self.label])
        longer = {
            name: np.concatenate([array, other.arrays[name]]) if len(array) == rows and name in other.arrays else array
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
    """The data files whose labels are known, those to train on first."""
    found: list[Table] = []
    for path, file in _files(program):
        one = Arrays(path, file) if path.suffix == ".npz" else Rows(path, file)
        if path.suffix in (".npz", ".csv", ".tsv", ".jsonl") and one.label and one.features:
            found.append(one)
    return sorted(found, key=lambda one: bool(JUDGING.search(one.file)))


def for_training(program: Program) -> list[Table]:
    """The data files to train on, the largest first."""
    held = [one for one in tables(program) if not JUDGING.search(one.file)]
    return sorted(held, key=lambda one: (-len(one.column(one.label)), one.file))


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
        if path.suffix == ".json":
            found = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(found, dict) and "mean" in found and {"std", "scale"} & set(found):
                yield path, file

"""Rows of named numbers turned into series: which columns say where in the run a row stands, and which are measured."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stetho.reader import Flaw
from stetho.series import Series

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stetho.series import Floats, Unit, Whole

# What loggers call these, in the order in which they are believed.
STEPS = (
    "trainer/global_step", "global_step", "_step", "step", "steps", "global_iter", "iteration", "iter", "iters", "it",
    "num_updates", "update", "updates", "total_timesteps", "time/total_timesteps", "timesteps", "timesteps_total",
    "train_steps", "global_steps", "current_iter", "training_iteration", "total_steps", "batch", "time/iterations",
)  # fmt: skip
EPOCHS = ("epoch", "epochs", "current_epoch", "epoch_num", "train/epoch", "trainer/epoch", "round")
TIMES = (
    "_timestamp", "timestamp", "wall_time", "walltime", "unix_time", "ts", "datetime", "date", "created_at", "_runtime",
    "relative_time", "time/time_elapsed", "time_elapsed", "elapsed", "elapsed_time", "runtime", "time",
)  # fmt: skip
AXES = frozenset((*STEPS, *EPOCHS, *TIMES))
# A file with more names than this does not hold curves.
MOST_NAMES = 5000
# A column says where rows stand when so many of them have it.
COVERED = 0.5
LARGEST = 2.0**53


def plain(name: str) -> str:
    """A name as the vocabulary has it."""
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def is_axis(name: str) -> bool:
    return plain(name) in AXES


@dataclass
class Columns:
    """Numbers by name and row, as they come: row by row, or many rows with the same names at once."""

    file: str
    unit: Unit = "line"
    run: str = ""
    rows: int = 0
    crowded: bool = False
    _at: list[Whole] = field(default_factory=list)
    _found: dict[str, list[tuple[Whole, Floats]]] = field(default_factory=dict)
    _places: array[int] = field(default_factory=lambda: array("q"))
    _open: dict[str, tuple[array[int], array[float]]] = field(default_factory=dict)

    def row(self, at: int, numbers: Mapping[str, float]) -> None:
        """One row, and where it stands in the file."""
        number = self.rows
        self._places.append(at)
        for name, value in numbers.items():
            held = self._open.get(name)
            if held is None:
                held = self._begin(name)
                if held is None:
                    continue
            held[0].append(number)
            held[1].append(value)
        self.rows = number + 1

    def _begin(self, name: str) -> tuple[array[int], array[float]] | None:
        if name not in self._found and len(self._found) + len(self._open) >= MOST_NAMES:
            self.crowded = True
            return None
        held = self._open[name] = (array("q"), array("d"))
        return held

    def block(self, at: Whole, columns: Mapping[str, tuple[Whole, Floats]]) -> None:
        """Many rows: where each stands, and for each name the rows, from 0, that have it, with their numbers."""
        self._flush()
        self._at.append(at)
        for name, (rows, values) in columns.items():
            if not len(rows):
                continue
            if name not in self._found and len(self._found) >= MOST_NAMES:
                self.crowded = True
                continue
            self._found.setdefault(name, []).append((rows + self.rows, values))
        self.rows += len(at)

    def _flush(self) -> None:
        import numpy as np

        if self._places:
            self._at.append(np.frombuffer(self._places, np.int64))
            self._places = array("q")
        for name, (rows, values) in self._open.items():
            both = np.frombuffer(rows, np.int64), np.frombuffer(values, np.float64)
            self._found.setdefault(name, []).append(both)
        self._open = {}

    def series(self) -> Iterator[Series | Flaw]:
        """A series for each name; the columns that say where rows stand are part of every one of them."""
        import numpy as np

        self._flush()
        if self.crowded:
            yield Flaw(f"more than {MOST_NAMES} different names; the others are left out")
        if not self.rows:
            return
        at = np.concatenate(self._at)
        found = {
            name: (np.concatenate([rows for rows, _ in parts]), np.concatenate([values for _, values in parts]))
            for name, parts in self._found.items()
        }
        self._found = {}
        axes = self._axes(found)
        steps, epochs, times = (self._spread(found, axes[kind]) for kind in ("step", "epoch", "time"))
        whole = None if steps is None else _filled(steps)
        for name, (rows, values) in found.items():
            if name in axes.values():
                continue
            # Every row has it once at most: what all rows have is in their order.
            own = slice(None) if len(rows) == self.rows else rows
            yield Series(
                name, values, self.file,
                None if whole is None else whole[own], None if epochs is None else epochs[own],
                None if times is None else times[own], at[own], self.unit, self.run,
            )  # fmt: skip

    def _axes(self, found: Mapping[str, tuple[Whole, Floats]]) -> dict[str, str | None]:
        """The column for steps, for epochs and for times; None where there is none that could be it."""
        known: dict[str, list[str]] = {}
        for name in found:
            known.setdefault(plain(name), []).append(name)
        chosen: dict[str, str | None] = {}
        for kind, vocabulary in (("step", STEPS), ("epoch", EPOCHS), ("time", TIMES)):
            names = (name for word in vocabulary for name in known.get(word, ()))
            chosen[kind] = next((name for name in names if self._serves(kind, name, *found[name])), None)
        return chosen

    def _serves(self, kind: str, name: str, rows: Whole, values: Floats) -> bool:
        import numpy as np

        if len(rows) < COVERED * self.rows:
            return False
        finite = values[np.isfinite(values)]
        if not len(finite) or float(np.abs(finite).max()) > LARGEST:
            return False
        if kind == "step":
            return len(finite) == len(values) and bool((finite == np.floor(finite)).all())
        # What is called time is as often how long a step took: only time that goes on is when.
        return kind != "time" or plain(name) != "time" or bool((np.diff(finite) >= 0).all() and len(finite) > 1)

    def _spread(self, found: Mapping[str, tuple[Whole, Floats]], name: str | None) -> Floats | None:
        """A column over all rows, NaN where a row has no such number."""
        import numpy as np

        if name is None:
            return None
        spread = np.full(self.rows, np.nan)
        rows, values = found[name]
        spread[rows] = values
        return spread


def _filled(steps: NDArray[np.float64]) -> Whole:
    """Steps of all rows: a row without one has that of the row before it."""
    import numpy as np

    known = np.isfinite(steps)
    last = np.maximum.accumulate(np.where(known, np.arange(len(steps)), -1))
    first = int(np.flatnonzero(known)[0])
    return steps[np.where(last < 0, first, last)].astype(np.int64)

"""Points of many runs in one file, gathered as they come."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from stetho.reader import Flaw
from stetho.series import Series

MOST_SERIES = 20_000
LARGEST = 1 << 62
Held: TypeAlias = "tuple[array[float], array[int], array[float], array[int]]"


@dataclass
class Points:
    """Values, steps, times and places of every name of every run."""

    file: str
    crowded: bool = False
    _held: dict[tuple[str, str], Held] = field(default_factory=dict)

    def add(self, run: str, name: str, value: float, step: object, time: float, at: int) -> None:
        held = self._held.get((run, name))
        if held is None:
            if len(self._held) >= MOST_SERIES:
                self.crowded = True
                return
            held = self._held[run, name] = (array("d"), array("q"), array("d"), array("q"))
        held[0].append(value)
        held[1].append(step if isinstance(step, int) and -LARGEST < step < LARGEST else 0)
        held[2].append(time)
        held[3].append(at)

    def series(self, names: Mapping[str, str]) -> Iterator[Series | Flaw]:
        """A series for each name of each run; runs are called by their names."""
        import numpy as np

        if self.crowded:
            yield Flaw(f"more than {MOST_SERIES} different series; the others are left out")
        for (run, name), (values, steps, times, places) in self._held.items():
            when = np.frombuffer(times, np.float64)
            yield Series(
                name, np.frombuffer(values, np.float64), self.file, np.frombuffer(steps, np.int64), None,
                when if np.isfinite(when).any() else None, np.frombuffer(places, np.int64), "row", names.get(run, run),
            )  # fmt: skip


def called(names: Mapping[str, str]) -> dict[str, str]:
    """What to call runs: by their names where these differ, with the beginning of their ids where they do not."""
    given = Counter(names.values())
    return {id: name if name and given[name] == 1 else f"{name} {id[:8]}".strip() for id, name in names.items()}

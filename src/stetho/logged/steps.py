"""Where on the run each point of a series lies: steps that begin anew with an epoch are counted on, restarts seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stetho.series import Series, Whole

# Epochs differ in length by this share at most, where no epoch is given and only their steps tell.
ALIKE = 0.2


@dataclass(frozen=True)
class Placed:
    """A series with a step for each point, none of which goes back."""

    series: Series
    steps: Whole
    back: tuple[tuple[int, int, int], ...] = ()
    """Where the run was taken up again: the index of the first point after it among those kept, the step before, the
    step after."""
    counted: bool = False
    """Whether the log has no steps, so that points are counted."""


def place(series: Series) -> Placed:
    """The series along the run: what a restart has made again counts, and what it made again is left out."""
    if series.steps is None or not len(series):
        return Placed(series, np.arange(len(series), dtype=np.int64), counted=True)
    steps = np.asarray(series.steps, dtype=np.int64)
    falls = np.flatnonzero((np.diff(steps) < 0) | last_of_each_epoch(series, steps)) + 1
    if not len(falls):
        return Placed(series, steps)
    if by_epoch(series, steps, falls):
        return Placed(series, counted_on(steps, falls))
    return without_what_was_redone(series, steps, falls)


def last_of_each_epoch(series: Series, steps: Whole) -> NDArray[np.bool_]:
    """Where an epoch begins in a series that has only its last step: 6/6, 6/6, 6/6."""
    if series.epochs is None:
        return np.zeros(max(0, len(steps) - 1), np.bool_)
    anew = np.diff(series.epochs) >= 1
    stays = np.diff(steps) == 0
    return anew & stays if bool(np.all(np.diff(steps)[anew] <= 0)) else np.zeros(len(anew), np.bool_)


def by_epoch(series: Series, steps: Whole, falls: Whole) -> bool:
    """Whether steps begin anew because an epoch does, and not because the run does."""
    if series.epochs is not None:
        return bool(np.all(series.epochs[falls] > series.epochs[falls - 1]))
    if np.any(steps[falls] > steps[0]):
        return False
    lasts = steps[falls - 1]
    # The last epoch may be cut short, and one fall alone could be a restart from the beginning.
    return len(falls) >= 2 and float(np.ptp(lasts)) <= ALIKE * float(np.max(lasts))


def counted_on(steps: Whole, falls: Whole) -> Whole:
    """Steps of the run from steps of the epoch."""
    first = int(steps[0])
    longest = int(np.max(steps[falls - 1])) + (1 if first == 0 else 0)
    epoch = np.zeros(len(steps), dtype=np.int64)
    epoch[falls] = 1
    return steps + np.cumsum(epoch) * max(1, longest)


def without_what_was_redone(series: Series, steps: Whole, falls: Whole) -> Placed:
    """The points that still count: those before each restart whose steps it did not make again."""
    kept = np.ones(len(steps), dtype=bool)
    # From the last restart back: what lies before one and at or beyond its first step was made again.
    lowest = np.iinfo(np.int64).max
    edges = [0, *falls.tolist(), len(steps)]
    for begin, end in reversed(list(pairwise(edges))):
        kept[begin:end] = steps[begin:end] < lowest
        lowest = min(lowest, int(steps[begin]))
    position = np.cumsum(kept) - 1
    back = tuple((int(position[fall]), int(steps[fall - 1]), int(steps[fall])) for fall in falls if kept[fall])
    chosen = replace(
        series,
        values=series.values[kept],
        steps=steps[kept],
        epochs=None if series.epochs is None else series.epochs[kept],
        times=None if series.times is None else series.times[kept],
        at=None if series.at is None else series.at[kept],
    )
    return Placed(chosen, steps[kept], back)


def joined(parts: list[Series]) -> Series:
    """One series from several files of one run, in the order in which they were written."""
    if len(parts) == 1:
        return parts[0]

    def begun(one: Series) -> tuple[float, int]:
        time = float(one.times[0]) if one.times is not None and len(one) else 0.0
        return time, int(one.steps[0]) if one.steps is not None and len(one) else 0

    ordered = sorted(parts, key=begun)

    def whole(name: str) -> np.ndarray | None:
        arrays = [getattr(one, name) for one in ordered]
        return None if any(array is None for array in arrays) else np.concatenate(arrays)

    return replace(
        ordered[0], values=np.concatenate([one.values for one in ordered]),
        steps=whole("steps"), epochs=whole("epochs"), times=whole("times"), at=whole("at"),
    )  # fmt: skip

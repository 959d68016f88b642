"""Series from streams: names put together, steps and epochs taken from lines above where a line has none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stetho.series import Series
from stetho.text import words
from stetho.text.stamps import DAY
from stetho.text.stream import EPOCH, STEP, TABLE, TIME, Stream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stetho.series import Floats, Whole
    from stetho.text.log import Log

# Steps beyond this are no steps: a hash, an id, a number of digits that a file of noise has.
LARGEST = 2.0**53


@dataclass(frozen=True, eq=False)
class Points:
    """Points of one series from one stream."""

    orders: Whole
    numbers: Whole
    values: Floats
    steps: Floats
    epochs: Floats
    times: Floats


@dataclass(frozen=True, eq=False)
class Counter:
    """Where a step or an epoch was said, and which."""

    orders: Whole
    values: Floats

    def at(self, orders: Whole) -> Floats:
        """The last one said before each line; NaN where none was."""
        import numpy as np

        if not len(self.orders):
            return np.full(len(orders), np.nan)
        where = np.searchsorted(self.orders, orders, side="right") - 1
        return np.where(where >= 0, self.values[np.maximum(where, 0)], np.nan)


def series(log: Log, file: str) -> Iterator[Series]:
    """Every number of a log that has a name, in the order in which they first appear."""

    gathered: dict[tuple[str, str], list[Points]] = {}
    # A rank that is the only one to say its number is the run.
    several = len({stream.key.run for stream in log.streams if stream.key.run and stream.orders}) > 1
    for run in dict.fromkeys(stream.key.run for stream in log.streams):
        own = [stream for stream in log.streams if stream.key.run == run and stream.orders]
        epochs = counter(own, EPOCH, named=False)
        steps = counter(own, STEP, named=True)
        for stream in own:
            for name, points in _points(stream, steps, epochs, own):
                gathered.setdefault((run if several else "", name), []).append(points)
    made = []
    for (run, name), pieces in gathered.items():
        one = _joined(name, run, file, pieces)
        if one is not None:
            made.append((min(int(piece.orders[0]) for piece in pieces if len(piece.orders)), one))
    made.sort(key=lambda pair: pair[0])
    yield from (one for _, one in made)


def counter(streams: list[Stream], column: int, *, named: bool) -> Counter:
    """Every step, or epoch, that the lines of a run say."""
    import numpy as np

    orders, values = [np.zeros(0, np.int64)], [np.zeros(0)]
    for stream in streams:
        if stream.key.row or (named and b"#step" not in stream.key.names):
            continue
        said = stream.rows[0][:, column - 5]
        known = np.isfinite(said) & (np.abs(said) < LARGEST)
        orders.append(stream.orders[0][known])
        values.append(said[known])
    joined, which = np.concatenate(orders), np.concatenate(values)
    order = np.argsort(joined, kind="stable")
    return Counter(joined[order], which[order])


def _points(stream: Stream, steps: Counter, epochs: Counter, own: list[Stream]) -> Iterator[tuple[str, Points]]:
    """The points of each metric of a stream."""
    import numpy as np

    orders, numbers, rows = stream.orders[0], stream.numbers[0], stream.rows[0]
    step, epoch = rows[:, STEP - 5], rows[:, EPOCH - 5]
    if stream.key.row:
        step, epoch = _of_table(stream, own, STEP), _of_table(stream, own, EPOCH)
        epoch = np.where(np.isnan(epoch), epochs.at(orders), epoch)
    elif b"#step" not in stream.key.names and b"#pair" not in stream.key.names and b"#epoch" not in stream.key.names:
        step = steps.at(orders)
    if b"#epoch" not in stream.key.names and not stream.key.row:
        epoch = epochs.at(orders)
    for at, nonfinite in enumerate(stream.key.nonfinite):
        values = rows[:, at]
        # A number that could not be read is left out; a NaN that was written is kept.
        good = np.ones(len(values), np.bool_) if nonfinite else ~np.isnan(values)
        for name, which in _names(stream, at):
            if stream.key.row and name.rsplit("/", 1)[-1].lower().encode() in words.STEPS:
                continue
            keep = good & which
            if keep.any():
                yield (
                    name,
                    Points(orders[keep], numbers[keep], values[keep], step[keep], epoch[keep], rows[keep, TIME - 5]),
                )


def _names(stream: Stream, at: int) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """What a metric is called, and in which rows; names with digits may differ from row to row."""
    import numpy as np

    evened = stream.key.names[at]
    section = stream.key.section.decode("utf-8", "backslashreplace")
    if not stream.names or b"0" not in evened:
        yield section + evened.decode("utf-8", "backslashreplace"), np.ones(len(stream.rows[0]), np.bool_)
        return
    prefix = evened.split(b"/", 1)[0].decode("utf-8", "backslashreplace") + "/" if evened.startswith(b"val/") else ""
    called = np.array([prefix + names[at] for names in stream.names[0]], object)
    for name in dict.fromkeys(called.tolist()):
        yield section + name, called == name


def _of_table(stream: Stream, own: list[Stream], column: int) -> Floats:
    """The step, or the epoch, of each row of a table: the one that another row of the same table says."""
    import numpy as np

    found = np.full(len(stream.rows[0]), np.nan)
    tables = stream.rows[0][:, TABLE - 5]
    for other in own:
        names = other.key.names
        mark = b"#step" if column == STEP else b"#epoch"
        if other.key.row and mark in names and b"iterations" not in names:
            said, steps = other.rows[0][:, TABLE - 5], other.rows[0][:, column - 5]
            where = np.minimum(np.searchsorted(said, tables), len(said) - 1)
            found = np.where(said[where] == tables, steps[where], found)
    return found


def _joined(name: str, run: str, file: str, pieces: list[Points]) -> Series | None:
    """One series from its pieces, in the order of the log; None for a lone number that is no result."""
    import numpy as np

    def column(get: str) -> Floats:
        return np.concatenate([getattr(piece, get) for piece in pieces])

    orders = column("orders")
    order = np.argsort(orders, kind="stable")
    steps, epochs, times = column("steps")[order], column("epochs")[order], column("times")[order]
    placed = np.isfinite(steps) | np.isfinite(epochs)
    if 2 <= np.count_nonzero(placed) < len(placed):
        # What stands before the first step of the run is a setting, or says how it was before.
        order, steps, epochs, times = order[placed], steps[placed], epochs[placed], times[placed]
    alone = len(orders) == 1 and np.isnan(steps[0]) and np.isnan(epochs[0])
    if alone and not words.is_result(name.encode()):
        return None
    whole = bool(np.isfinite(steps).all() and (np.abs(steps) < LARGEST).all())
    return Series(
        name,
        column("values")[order],
        file,
        steps=steps.astype(np.int64) if whole else None,
        epochs=epochs if np.isfinite(epochs).all() else None,
        times=unwrapped(times) if np.isfinite(times).all() else None,
        at=column("numbers")[order].astype(np.int64),
        run=run,
    )


def unwrapped(times: Floats) -> Floats:
    """Times that go on after midnight where the stamps have no date."""
    import numpy as np

    if len(times) < 2 or times[0] >= DAY:
        return times
    days = np.concatenate([[0], np.cumsum(np.diff(times) < -DAY / 2)])
    return np.asarray(times + days * DAY)

"""The lines of a log that say the same things, gathered while it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from stetho.text import thinning

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stetho.series import Floats, Whole

# What stands behind the metrics in each row.
STEP, TOTAL, EPOCH, EPOCHS, TIME = range(5)
# Rows of tables count up to nothing: there stands which table it is.
TABLE = TOTAL


@dataclass(frozen=True)
class Key:
    """What makes two lines say the same things: the names, which of them are no finite number, and who speaks."""

    names: tuple[bytes, ...]
    nonfinite: tuple[bool, ...]
    run: str = ""
    section: bytes = b""
    row: bool = False


@dataclass(eq=False)
class Stream:
    """Points of one key; `count` is how many there were, the arrays are what is kept of them."""

    key: Key
    count: int = 0
    part: int = 1
    most: int = thinning.MOST
    places: list[Whole] = field(default_factory=list)
    orders: list[Whole] = field(default_factory=list)
    """The line or frame of each point, counted from 0."""
    numbers: list[Whole] = field(default_factory=list)
    """The line of the file of each point."""
    rows: list[Floats] = field(default_factory=list)
    names: list[NDArray[np.object_]] = field(default_factory=list)
    """Names in each row, where they hold digits that can differ from line to line."""

    @cached_property
    def telling(self) -> tuple[int, ...]:
        """The columns whose extremes are kept: the first losses and gradients of lines, not of rows of tables."""
        names = self.key.names[: len(self.key.nonfinite)] if not self.key.row else ()
        return thinning.telling(names)

    def choose(self, amount: int) -> tuple[Whole, Whole]:
        """Take note of more points: which of them to read, and their places."""
        import numpy as np

        places = np.arange(self.count, self.count + amount)
        self.count += amount
        part = thinning.share(self.count, self.most)
        if part != self.part:
            self.part = part
            self.thin()
        if part == 1:
            return np.arange(amount), places
        chosen = np.flatnonzero(thinning.kept(places, part))
        return chosen, places[chosen]

    def add(
        self, places: Whole, orders: Whole, numbers: Whole, rows: Floats, names: NDArray[np.object_] | None
    ) -> None:
        self.places.append(places)
        self.orders.append(orders)
        self.numbers.append(numbers)
        self.rows.append(rows)
        if names is not None:
            self.names.append(names)

    def thin(self) -> None:
        """Leave out what is not kept of as many points as there are now."""
        import numpy as np

        self.join()
        if not self.places:
            return
        keep = thinning.kept(self.places[0], self.part)
        if self.telling and self.part > 1:
            order = np.argsort(self.places[0], kind="stable")
            columns = [self.rows[0][order, column] for column in self.telling]
            keep[order] |= thinning.extreme(self.places[0][order], columns, self.part)
        self.places, self.orders = [self.places[0][keep]], [self.orders[0][keep]]
        self.numbers, self.rows = [self.numbers[0][keep]], [self.rows[0][keep]]
        if self.names:
            self.names = [self.names[0][keep]]

    def sort(self) -> None:
        """Put the points in the order of the log."""
        import numpy as np

        self.join()
        if self.orders and (np.diff(self.orders[0]) < 0).any():
            order = np.argsort(self.orders[0], kind="stable")
            self.places, self.orders = [self.places[0][order]], [self.orders[0][order]]
            self.numbers, self.rows = [self.numbers[0][order]], [self.rows[0][order]]
            if self.names:
                self.names = [self.names[0][order]]

    def join(self) -> None:
        """Make one array of what was gathered piece by piece."""
        import numpy as np

        if len(self.places) > 1:
            self.places, self.orders = [np.concatenate(self.places)], [np.concatenate(self.orders)]
            self.numbers, self.rows = [np.concatenate(self.numbers)], [np.concatenate(self.rows)]
            if self.names:
                self.names = [np.concatenate(self.names)]

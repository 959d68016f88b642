"""Steps on their way to the recording: gathered in columns, written in blocks."""

from __future__ import annotations

import os
import time
from math import isfinite
from typing import TYPE_CHECKING, Any

from .. import guard

if TYPE_CHECKING:
    from .journal import Journal

# Columns that are written once when they do not change within a block.
REPEATED = ("loss", "terms", "lr", "bw", "order", "clip")
# Columns of seconds.
TIMES = ("dt", "dw", "vt")
# Columns that are left out of a block in which nothing happened.
OPTIONAL = ("terms", "clip", "dw", "vt", "bt")
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Block:
    """Consecutive steps of one optimizer that are not written yet."""

    def __init__(self, journal: Journal, optimizer: int) -> None:
        self.journal = journal
        self.optimizer = optimizer
        self.first = 0
        self.rows: list[tuple[Any, ...]] = []
        self.kept: list[int] = []
        self.estimates: list[int] = []
        self.at: int | None = None
        self.estimated = False

    # The order of a row's entries.
    COLUMNS = ("loss", "terms", "lr", "g", "bw", "clip", "dt", "dw", "vt", "bt", "order")

    def add(self, index: int, kept: bool, row: tuple[Any, ...]) -> None:
        """Put one step behind the others."""
        if not self.rows:
            self.first = index
        if kept:
            self.kept.append(len(self.rows))
        if self.estimated:
            self.estimated = False
            self.estimates.append(len(self.rows))
        self.rows.append(row)

    def write(self) -> None:
        """Hand the block over; numbers that still lie on a device are read only now."""
        rows, self.rows = self.rows, []
        if not rows:
            return
        fields: dict[str, Any] = {"o": self.optimizer, "i": self.first, "n": len(rows)}
        for position, name in enumerate(self.COLUMNS):
            column = [row[position] for row in rows]
            if name in OPTIONAL and not any(column):
                continue
            if name in REPEATED and column.count(column[0]) == len(column):
                column = column[:1]
            fields[name] = [round(e, 6) for e in column] if name in TIMES else [settled(e) for e in column]
        if self.kept:
            fields["kept"], self.kept = self.kept, []
        if self.at is not None:
            fields["at"], self.at = self.at, None
        if self.estimates:
            fields["est"], self.estimates = self.estimates, []
        fields["t"] = round(time.monotonic() - self.journal.started, 4)
        fields["wall"] = round(time.time(), 3)
        fields.update(memory())
        self.journal.write_plain("steps", fields)


def number(value: Any) -> float | None:
    """A setting as a number, where it is one."""
    if type(value) is float:
        return value
    return None if value is None or isinstance(value, (tuple, list)) else float(value)


def settled(entry: Any) -> Any:
    """An entry as JSON can hold it: tensors as numbers, what is not finite as text, also inside pairs."""
    if type(entry) is float:
        return entry if isfinite(entry) else str(entry)
    if entry is None or isinstance(entry, (int, str)):
        return entry
    if isinstance(entry, (list, tuple)):
        return [settled(e) for e in entry]
    return settled(float(entry))


def memory() -> dict[str, int]:
    """Bytes that the process holds now, and that it holds on an accelerator, as far as they can be read."""
    found: dict[str, int] = {}
    try:
        with open("/proc/self/statm", "rb") as handle:
            found["rss"] = int(handle.read().split()[1]) * PAGE
        # What the kernel counts for a process begins with what it was forked from; this begins with the program.
        with open("/proc/self/status", "rb") as handle:
            found["peak"] = int(handle.read().split(b"VmHWM:")[1].split()[0]) * 1024
    except (OSError, ValueError, IndexError) as error:
        if guard.from_signal(error):
            raise
    try:
        import resource

        found.setdefault("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    except ImportError:
        pass
    import torch

    if torch.cuda.is_initialized():
        found["gpu"] = int(torch.cuda.memory_allocated())
    return found

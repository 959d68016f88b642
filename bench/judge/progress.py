"""How far long work has come: a line that is drawn over on a terminal, one line per result elsewhere."""

from __future__ import annotations

import sys
import time


class Bar:
    """Counts what is done of so many things, and says how long the rest may take."""

    def __init__(self, total: int, what: str) -> None:
        self.total, self.what, self.done = total, what, 0
        self.begun = time.monotonic()
        self.live = sys.stderr.isatty()

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def step(self, said: str) -> None:
        self.done += 1
        spent = time.monotonic() - self.begun
        left = spent / self.done * (self.total - self.done)
        where = f"{self.done}/{self.total} {self.what}, {_clock(spent)} gone, about {_clock(left)} left"
        if self.live:
            width = 30
            full = round(width * self.done / max(1, self.total))
            sys.stderr.write(f"\r\x1b[K{said}\n[{'#' * full}{'.' * (width - full)}] {where}")
        else:
            sys.stderr.write(f"{said}  [{where}]\n")
        sys.stderr.flush()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"

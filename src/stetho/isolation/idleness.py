"""Whether a process tree still does anything, seen from outside: its processor time and its steps near the end."""

from __future__ import annotations

import json
from pathlib import Path

FILE = "idle.json"
# The part of a run's time, at its end, in which it is watched.
LAST = 0.25


class Idleness:
    """Compares the end of a run that is about to be stopped with a moment before it."""

    def __init__(self, pid: int, limit: float) -> None:
        self.pid, self.limit = pid, limit
        self.before: tuple[float, float, int] | None = None
        self.stepped = 0.0
        self.steps = 0

    def look(self, now: float, steps: int) -> None:
        """Note when the last step came, and, once, where everything stood when the last part began."""
        if steps != self.steps:
            self.steps, self.stepped = steps, now
        if self.before is None and now > (1 - LAST) * self.limit:
            self.before = (now, self.used(), steps)

    def write(self, folder: Path, now: float) -> None:
        """Leave what was seen beside the recording."""
        if self.before is not None:
            begun, used, steps = self.before
            seen = {
                "watched": now - begun, "used": self.used() - used, "steps": self.steps - steps,
                "since": now - self.stepped, "taken": self.steps, "seconds": now,
            }  # fmt: skip
            (folder / FILE).write_text(json.dumps(seen))

    def used(self) -> float:
        """Seconds of processor time that all processes have used."""
        import psutil

        total = 0.0
        try:
            root = psutil.Process(self.pid)
            tree = [root, *root.children(recursive=True)]
        except psutil.Error:
            return 0.0
        for process in tree:
            try:
                times = process.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
            except (psutil.Error, OSError):
                continue
        return total

"""How much memory a process tree holds, seen from outside: a limit inside the process would break torch."""

from __future__ import annotations

# Seconds between two looks.
EVERY = 0.25


class Resident:
    """Tells when a tree of processes holds more than it may."""

    def __init__(self, pid: int, limit: int | None) -> None:
        self.pid = pid
        self.limit = limit
        self.next = 0.0

    def too_much(self, now: float) -> bool:
        if self.limit is None or now < self.next:
            return False
        self.next = now + EVERY
        # What workers share with their parent is in each one's figure; only then is the slower, exact one asked for.
        return self.held(exact=False) > self.limit and self.held(exact=True) > self.limit

    def held(self, exact: bool) -> int:
        """Bytes of all processes together; shared pages count once if `exact`, where the system can tell."""
        import psutil

        total = 0
        try:
            root = psutil.Process(self.pid)
            tree = [root, *root.children(recursive=True)]
        except psutil.Error:
            return 0
        for process in tree:
            try:
                if exact:
                    full = process.memory_full_info()
                    total += int(getattr(full, "pss", 0) or full.uss)
                else:
                    total += int(process.memory_info().rss)
            except (psutil.Error, OSError):
                continue
        return total

"""Replacing attributes of torch so that every replacement can be taken back."""

from __future__ import annotations

from typing import Any

_ABSENT = object()


class Patches:
    """Remembers what stood where, in order, and puts it back in reverse order."""

    def __init__(self) -> None:
        self.replaced: list[tuple[Any, str, Any, Any]] = []
        self.entries: list[tuple[Any, Any]] = []

    def replace(self, owner: Any, name: str, new: Any) -> None:
        """Put `new` where the owner has `name`; what the owner only inherits is deleted again on the way back."""
        # The class's own dictionary is asked, as a plain read would turn a classmethod into a bound method.
        old = vars(owner).get(name, _ABSENT)
        setattr(owner, name, new)
        self.replaced.append((owner, name, old, vars(owner)[name]))

    def enter(self, table: Any, key: Any, value: Any) -> None:
        """Put an entry into one of torch's tables of hooks. Its own functions would use up hook numbers."""
        table[key] = value
        self.entries.append((table, key))

    def undo(self) -> None:
        """Take everything back, except where the program has since put something of its own."""
        for owner, name, old, new in reversed(self.replaced):
            if vars(owner).get(name) is new:
                if old is _ABSENT:
                    delattr(owner, name)
                else:
                    setattr(owner, name, old)
        for table, key in self.entries:
            table.pop(key, None)
        self.replaced, self.entries = [], []

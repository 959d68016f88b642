"""Replacing attributes of torch so that every replacement can be taken back."""

from __future__ import annotations

import contextlib
import sys
from types import FunctionType
from typing import Any, Iterator

_ABSENT = object()
# The module `warnings` counts its levels past frames of the import system, which it knows by these two words. What
# torch says of a line of the program's, it then says of that line and not of the function that stands in between.
FILE = f"{__file__}: passed over like importlib._bootstrap"


class Patches:
    """Remembers what stood where, in order, and puts it back in reverse order."""

    def __init__(self) -> None:
        self.replaced: list[tuple[Any, str, Any, Any]] = []
        self.entries: list[tuple[Any, Any]] = []

    def replace(self, owner: Any, name: str, new: Any) -> None:
        """Put `new` where the owner has `name`; what the owner only inherits is deleted again on the way back."""
        if type(new) is FunctionType:
            new.__code__ = new.__code__.replace(co_filename=FILE)
        # The class's own dictionary is asked, as a plain read would turn a classmethod into a bound method.
        old = vars(owner).get(name, _ABSENT)
        setattr(owner, name, new)
        self.replaced.append((owner, name, old, vars(owner)[name]))

    def enter(self, table: Any, key: Any, value: Any) -> None:
        """Put an entry into one of torch's tables of hooks. Its own functions would use up hook numbers."""
        table[key] = value
        self.entries.append((table, key))

    @contextlib.contextmanager
    def lifted(self) -> Iterator[None]:
        """Everything as it was, for as long as somebody reads torch's functions instead of calling them."""
        lifted = [entry for entry in reversed(self.replaced) if restore(*entry)]
        try:
            yield
        finally:
            for owner, name, _, new in reversed(lifted):
                setattr(owner, name, new)

    def drop(self, owner: Any, name: str, holders: str, alone: bool = False) -> None:
        """Take one replacement back for good, also where modules of a package have taken it over by now.

        With `alone`, only where nothing else has been put on top of it.
        """
        found = [e for e in self.replaced if e[0] is owner and e[1] == name]
        for entry in found if not alone or len(found) == 1 else ():
            restore(*entry)
            self.replaced.remove(entry)
            for module in [m for n, m in list(sys.modules.items()) if n.startswith(holders) and m is not None]:
                for key in [k for k, v in vars(module).items() if v is entry[3]]:
                    setattr(module, key, entry[2])

    def undo(self) -> None:
        """Take everything back, except where the program has since put something of its own."""
        for entry in reversed(self.replaced):
            restore(*entry)
        for table, key in self.entries:
            table.pop(key, None)
        self.replaced, self.entries = [], []


def restore(owner: Any, name: str, old: Any, new: Any) -> bool:
    """Put back what stood there; whether it was still what had been put in its place."""
    if vars(owner).get(name) is not new:
        return False
    if old is _ABSENT:
        delattr(owner, name)
    else:
        setattr(owner, name, old)
    return True

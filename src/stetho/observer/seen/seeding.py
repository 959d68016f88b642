"""Random generators: who seeds which of them with what."""

from __future__ import annotations

import functools
import sys
import time
from typing import TYPE_CHECKING, Any

import torch

from .. import guard, sites
from ..guard import guarded
from ..unseen import is_compiling

if TYPE_CHECKING:
    from ..patches import Patches
    from ..watch import Watch

DAY = 86400


class Seeding:
    """Follows the seeding of torch's, Python's and numpy's random numbers."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def install(self, patches: Patches) -> None:
        """Patch the functions that seed."""
        import random

        targets = [(torch, "manual_seed", "torch"), (random, "seed", "random")]
        for owner, name, what in targets:
            patches.replace(owner, name, self._seeding(getattr(owner, name), what))

    def numpy_imported(self, module: Any) -> None:
        """Follow the seeding of numpy's random numbers, too, once the program uses them."""
        self.watch.patches.replace(module, "seed", self._seeding(module.seed, "numpy"))

    def _seeding(self, original: Any, what: str) -> Any:
        mine = self

        @functools.wraps(original)
        def seed(*args: Any, **kwargs: Any) -> Any:
            if not guard.off and not is_compiling():
                mine.seeded(what, args[0] if args else next(iter(kwargs.values()), None))
            return original(*args, **kwargs)

        return seed

    @guarded
    def seeded(self, what: str, value: Any) -> None:
        """Record who seeds which generator with what, when it is the user's code that does."""
        found = sites.here(2, 4)
        # torch's loaders seed each worker; a worker is forked below the line that began the epoch.
        if found and sys._getframe(3).f_globals.get("__name__") != "torch.utils.data._utils.worker":
            value = value if isinstance(value, (int, float)) else None if value is None else str(value)[:40]
            site = self.watch.journal.site(found)
            clock = isinstance(value, (int, float)) and by_clock(value)
            self.watch.journal.write("seeded", what=what, value=value, site=site, step=self.watch.step, clock=clock)


def by_clock(value: float) -> bool:
    """Whether a seed is the time of day, in seconds or in parts of one."""
    now = time.time()
    return any(abs(value - now * unit) < DAY * unit for unit in (1, 1e3, 1e6, 1e9))

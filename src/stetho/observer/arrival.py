"""Acting at the moment a module has been imported, and seeding what the program leaves unseeded."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import random
import sys
from typing import TYPE_CHECKING, Any, Callable, Sequence

if TYPE_CHECKING:
    from types import ModuleType


class _AfterImport(importlib.abc.Loader):
    """A module's own loader, followed by one call."""

    def __init__(self, loader: importlib.abc.Loader, then: Callable[[ModuleType], object]) -> None:
        self.loader = loader
        self.then = then

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        # The module must be seen with its real loader, by itself and by others.
        module.__loader__ = self.loader
        module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        self.then(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds one module the usual way, once, and puts the call behind its loader."""

    def __init__(self, name: str, then: Callable[[ModuleType], object]) -> None:
        self.name = name
        self.then = then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Leave the import system as it was, then answer for the awaited module in place of the path finder."""
        if fullname != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _AfterImport(spec.loader, self.then)
        return spec


def when_imported(name: str, then: Callable[[ModuleType], object]) -> None:
    """Call `then(module)` right after `name` was imported for the first time."""
    if name in sys.modules:
        then(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, then))


def seed_everything(seed: int) -> None:
    """Give a program that seeds nothing one fixed draw, so that two runs of it can be compared."""
    random.seed(seed)


def seed_numpy(numpy: Any, seed: int) -> None:
    """Seed the global generator, and generators that are made without a seed."""
    numpy.random.seed(seed)
    original = numpy.random.default_rng
    made = [0]

    def default_rng(seed_given: Any = None) -> Any:
        if seed_given is None:
            made[0] += 1
            seed_given = [seed, made[0]]
        return original(seed_given)

    default_rng.__doc__ = original.__doc__
    numpy.random.default_rng = default_rng

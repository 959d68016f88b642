"""Acting at the moment a module has been imported, and seeding what the program leaves unseeded."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import random
import sys


class _AfterImport(importlib.abc.Loader):
    """A module's own loader, followed by one call."""

    def __init__(self, loader, then):
        self.loader = loader
        self.then = then

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        # The module must be seen with its real loader, by itself and by others.
        module.__loader__ = self.loader
        module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        self.then(module)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name, then):
        self.name = name
        self.then = then

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _AfterImport(spec.loader, self.then)
        return spec


def when_imported(name, then):
    """Call `then(module)` right after `name` was imported for the first time."""
    if name in sys.modules:
        then(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, then))


def seed_everything(seed):
    """Give a program that seeds nothing one fixed draw, so that two runs of it can be compared."""
    random.seed(seed)


def seed_numpy(numpy, seed):
    """Seed the global generator, and generators that are made without a seed."""
    numpy.random.seed(seed)
    original = numpy.random.default_rng
    made = [0]

    def default_rng(seed_given=None):
        if seed_given is None:
            made[0] += 1
            seed_given = [seed, made[0]]
        return original(seed_given)

    default_rng.__doc__ = original.__doc__
    numpy.random.default_rng = default_rng

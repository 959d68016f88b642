"""Gives a program another seed than the one it says, without an edit; loaded only when BENCH_SEED_OFFSET is set."""

import importlib.abc
import importlib.machinery
import os
import random
import sys

OFFSET = int(os.environ.get("BENCH_SEED_OFFSET", "0"))


def moved(seed):
    return seed + OFFSET if isinstance(seed, int) else seed


def of_random(module):
    plain = module.seed
    module.seed = lambda a=None, version=2: plain(moved(a), version)
    plain_class = module.Random
    module.Random = type(
        "Random",
        (plain_class,),
        {
            "__new__": lambda cls, x=None: plain_class.__new__(cls, moved(x)),
            "__init__": lambda self, x=None: plain_class.__init__(self, moved(x)),
        },
    )


def of_numpy(module):
    drawn = module.random
    plain_seed, plain_rng = drawn.seed, drawn.default_rng
    drawn.seed = lambda seed=None: plain_seed(moved(seed))
    drawn.default_rng = lambda seed=None: plain_rng(moved(seed))

    # A class, as it was: default_rng asks whether its seed is one.
    class RandomState(drawn.RandomState):
        def __init__(self, seed=None):
            super().__init__(moved(seed))

    drawn.RandomState = RandomState


def of_torch(module):
    plain = module.random.manual_seed

    def manual_seed(seed):
        return plain(moved(int(seed)))

    module.manual_seed = module.random.manual_seed = manual_seed

    class Generator(module.Generator):
        def manual_seed(self, seed):
            super().manual_seed(moved(int(seed)))
            return self

    module.Generator = Generator


AFTER = {"numpy": of_numpy, "torch": of_torch}


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name not in AFTER:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        change, run = AFTER.pop(name), spec.loader.exec_module

        def exec_module(module):
            run(module)
            change(module)

        spec.loader.exec_module = exec_module
        return spec


if OFFSET:
    of_random(random)
    sys.meta_path.insert(0, Finder())

"""Lets a file of another tool's into an unmodified program: after torch is imported, its `install(torch)` is called."""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

FILE = os.environ.get("BENCH_AFTER_TORCH", "")


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "torch" or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            own = importlib.util.spec_from_file_location("bench_injected", FILE)
            loaded = importlib.util.module_from_spec(own)
            own.loader.exec_module(loaded)
            loaded.install(module)

        spec.loader.exec_module = exec_module
        return spec


if FILE:
    sys.meta_path.insert(0, Finder())

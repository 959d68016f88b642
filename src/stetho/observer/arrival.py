"""Acting at the moment a module has been imported, and seeding what the program leaves unseeded."""

from __future__ import annotations

import _thread
import json
import os
import sys

# Not from typing: this is loaded by every Python that is started, and most of them never meet torch.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, Callable, Sequence

ARRIVALS = "arrivals.log"
# A program that starts thousands of Pythons has shown enough of them by then.
LONGEST = 256 * 1024


def mark(directory: str, by: str) -> None:
    """Note that an interpreter was reached, so that a run without torch can be told from one that was missed."""
    words = [word[:200] for word in getattr(sys, "orig_argv", [sys.executable])[:8]]
    _append(os.path.join(directory, ARRIVALS), {"pid": os.getpid(), "by": by, "words": words})


def report(directory: str, error: Exception) -> None:
    """Note that the observer could not even be loaded when torch came."""
    body = {"e": "fault", "error": f"{type(error).__name__}: {error}", "hook": "meet", "at": "the import of torch"}
    _append(os.path.join(directory, f"r{os.environ.get('RANK', '0')}-{os.getpid()}.jsonl"), body)


def _append(path: str, body: dict[str, Any]) -> None:
    """Write one line in one piece; a recording that cannot be written is given up without a word to the program."""
    line = json.dumps(body, separators=(",", ":")) + "\n"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            if os.fstat(descriptor).st_size < LONGEST:
                os.write(descriptor, line.encode("ascii", "backslashreplace"))
        finally:
            os.close(descriptor)
    except OSError:
        return


class _Finder:
    """Lets the others find one module, and puts a call behind the import of it."""

    def __init__(self, name: str, then: Callable[[ModuleType], object]) -> None:
        self.name = name
        self.then = then
        self.asking: set[int] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What the other finders say. To be asked is not to be imported: libraries ask whether torch is there."""
        thread = _thread.get_ident()
        if fullname != self.name or thread in self.asking:
            return None
        self.asking.add(thread)
        try:
            found = (f.find_spec(fullname, path, target) for f in list(sys.meta_path) if hasattr(f, "find_spec"))
            spec = next((s for s in found if s is not None), None)
        finally:
            self.asking.discard(thread)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            self.follow(spec.loader)
        return spec

    def follow(self, loader: Any) -> None:
        """Have this one loader call back; it is the module's own before and after, for itself and for others."""
        original = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            if module.__name__ != self.name:
                original(module)
                return
            loader.__dict__.pop("exec_module", None)
            original(module)
            if self in sys.meta_path:
                self.remove()
                self.then(module)

        loader.exec_module = exec_module

    def remove(self) -> None:
        """Leave the import system as it was."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)


def when_imported(name: str, then: Callable[[ModuleType], object]) -> Callable[[], None]:
    """Call `then(module)` right after `name` was imported for the first time; what is returned calls that off."""
    finder = _Finder(name, then)
    if name in sys.modules:
        then(sys.modules[name])
    else:
        sys.meta_path.insert(0, finder)
    return finder.remove


def seed_everything(seed: int) -> None:
    """Give a program that seeds nothing one fixed draw, so that two runs of it can be compared."""
    import random

    from . import guard

    random.seed(seed)
    when_imported("numpy", guard.guarded(lambda numpy: seed_numpy(numpy, seed)))


def made_without_seed() -> None:
    """Put on record that the program makes a generator of numpy's and leaves its seed to chance."""
    from . import guard, sites

    found = sites.here(2, 3)
    if found and guard.journal is not None:
        guard.journal.write("unseeded", what="numpy", site=guard.journal.site(found))


def seed_numpy(numpy: Any, seed: int) -> None:
    """Seed the global generator, and generators that are made without a seed."""
    from . import guard

    # Not through the observer's own wrapper: it is not the program that seeds here.
    getattr(numpy.random.seed, "__wrapped__", numpy.random.seed)(seed)
    original = numpy.random.default_rng
    made = [0]
    note = guard.anywhere(made_without_seed)

    def default_rng(seed_given: Any = None) -> Any:
        if seed_given is None:
            made[0] += 1
            seed_given = [seed, made[0]]
            note()
        return original(seed_given)

    default_rng.__doc__ = original.__doc__
    default_rng.__wrapped__ = original  # type: ignore[attr-defined]
    numpy.random.default_rng = default_rng

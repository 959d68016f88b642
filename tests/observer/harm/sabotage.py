"""Faults for the observer, put into a process that was forked with the observer attached."""

import errno
import functools
import gc
import os
import sys
from types import FunctionType

from _stetho_observer import guard
from _stetho_observer.late import ring
from _stetho_observer.record import journal


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("it cannot even be told")


ERRORS = {kind.__name__: kind for kind in (RuntimeError, Unprintable, MemoryError, RecursionError)}


def inner(function) -> object:
    """The code of the one function that a decorator makes."""
    return next(c for c in function.__code__.co_consts if hasattr(c, "co_code"))


def wrapped(decorator) -> dict[str, FunctionType]:
    """Every function that a decorator of the observer's has made, by the name of what it wraps."""
    code = inner(decorator)
    gc.unfreeze()
    found = [f for f in gc.get_objects() if type(f) is FunctionType and f.__code__ is code]
    gc.freeze()
    return {f"{f.__module__.partition('.')[2]}.{f.__qualname__}": f for f in found}


def hooks() -> dict[str, FunctionType]:
    return {**wrapped(guard._guarded), **wrapped(ring.at_own_risk)}


def listed() -> None:
    """Instead of the program: name every hook."""
    print(*sorted(hooks()), sep="\n")
    sys.exit()


def watch():
    return guard.holders[0].__self__


def raising(name: str, error: str, calls: int) -> None:
    """Have a hook raise at its so many-th call."""
    function = hooks()[name]
    cell = function.__closure__[function.__code__.co_freevars.index("function")]
    original, count = cell.cell_contents, [0]

    @functools.wraps(original)
    def broken(*args, **kwargs):
        count[0] += 1
        if count[0] == calls:
            raise ERRORS[error]("put in by the test")
        return original(*args, **kwargs)

    cell.cell_contents = broken
    if name.startswith("late.ring."):
        kept = watch().ring
        kept.on, kept.folder, kept.steps = True, os.path.abspath("ring"), 2
    if name.endswith("gradient_seen"):
        watch().tracer.window.planned = [(2, 5)]
    # An experiment's hooks are called where there is something to change.
    run = watch().run
    if name.endswith("loader_settings"):
        # No loader is made while a change is under way here, and one that goes on holds the last batch.
        return
    if name.startswith("change.") or name.endswith(("_delivered", "._limit", "Backwards.changed", "Backwards.over")):
        run.on_loss(lambda call: None)
        run.on_input(lambda module, args, kwargs: None)
        run.on_target(lambda target, met: target)
        run.on_beside(lambda tensor, met, what: tensor)
        run.on_batch(lambda _, batch: batch)
        run.on_clip(lambda limit: limit)
        run.on_loss_over(lambda call, output: None)
        run.on_backward_over(lambda: None)
        run.on_objective(lambda loss: loss)


def prompt() -> None:
    """Have each step written at its end, so that the order of lines does not depend on the time."""
    journal.FLUSH = 0.0


def rolling() -> None:
    """Have the recording go on in another file after every few lines."""
    journal.SEGMENT = 4000


def limited(size: int) -> None:
    """Files may not become larger than this; Python has the signal for it ignored."""
    import resource

    prompt()
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def full(size: int) -> None:
    """The disk is full after so many bytes of the recording; what still fits of a line is written."""
    prompt()
    left, original = [size], os.write

    def write(descriptor, data):
        if descriptor != guard.journal.descriptor:
            return original(descriptor, data)
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        count = original(descriptor, data[: left[0]])
        left[0] -= count
        return count

    os.write = write


def protected() -> None:
    """Nothing can be opened in the recording's folder once it is read-only; root would not notice."""
    rolling()
    original = os.open

    def opened(path, flags, *args, **kwargs):
        folder = os.path.dirname(os.fspath(path))
        if folder == guard.journal.directory and not os.stat(folder).st_mode & 0o200:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return original(path, flags, *args, **kwargs)

    os.open = opened

"""Errors inside the observer end here: they are recorded, the observer goes quiet, training goes on."""

from __future__ import annotations

import contextlib
import functools
import os
import traceback
from _thread import get_ident
from types import FrameType
from typing import TYPE_CHECKING, Any, Callable, ContextManager, TypeVar

if TYPE_CHECKING:
    from typing import ParamSpec

    from .record.journal import Journal

    P = ParamSpec("P")

R = TypeVar("R")

FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
journal: Journal | None = None
off = False
# The thread that trains, once there is one.
thread: int | None = None
# Told when the observer goes quiet: they hold parts of the step under way, which would never be freed.
holders: list[Callable[[], None]] = []
# Asked at each hook, once torch is there: whether a compiler runs, how many modes of the program's are on, whether
# these only look through it, and the cover to work under, without such modes and with them.
compiling: Callable[[], bool] = bool
modes: Callable[[], int] = int
hollow: Callable[[], bool] = bool
cover: Callable[[], ContextManager[Any]] = contextlib.nullcontext
deeper: Callable[[], ContextManager[Any]] = contextlib.nullcontext


def away() -> bool:
    """Whether calls are to go by unseen: the observer is off, or this is not the thread that trains.

    Of several threads one is followed. To read the gradients of another while it computes them can end the process.
    """
    return off or (thread is not None and get_ident() != thread)


def guarded(function: Callable[P, R]) -> Callable[P, R | None]:
    """Wrap a hook so that whatever it raises disables the observer instead of reaching the user's program."""
    return _guarded(function, True)


def anywhere(function: Callable[P, R]) -> Callable[P, R | None]:
    """The same for what may come in any thread."""
    return _guarded(function, False)


def _guarded(function: Callable[P, R], here: bool) -> Callable[P, R | None]:
    # The hooks of every step pass here: what `away` asks is asked in place.
    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R | None:
        if off or compiling() or (here and thread is not None and get_ident() != thread):
            return None
        deep = modes()
        if deep and hollow():
            return None
        try:
            with deeper() if deep else cover():
                result = function(*args, **kwargs)
        except Exception as error:
            # This is the place where errors of the observer are isolated.
            if from_signal(error):
                raise
            fault(error, function.__name__)
            return None
        if off:
            # A hook inside this one has failed, and this one has gone on, perhaps to hold things again.
            do_all(holders)  # type: ignore[unreachable]
        return result

    return run


def from_signal(error: BaseException) -> bool:
    """Whether a signal handler of the program's raised this: it only happened to run while a hook did."""
    trace = error.__traceback__
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        code = frame.f_code
        if code.co_filename.startswith(FOLDER):
            continue
        # Python gives its handlers the number of the signal and the frame that was interrupted.
        names = code.co_varnames[: code.co_argcount + bool(code.co_flags & 0x04)]
        given: list[Any] = [frame.f_locals.get(name) for name in names]
        if len(given) == 1 and isinstance(given[0], tuple):
            given = list(given[0])
        if any(isinstance(b, FrameType) and isinstance(given[i], int) for i, b in enumerate(given[1:])):
            return True
    return False


def fault(error: BaseException, hook: str) -> None:
    """Switch the observer off for good, say why in the recording, and let go of everything."""
    global off
    first, off = not off, True
    # What a hook runs into after one inside it has failed tells nothing.
    do_all([functools.partial(record, error, hook), *holders] if first else holders)


def do_all(acts: list[Callable[[], None]]) -> None:
    """Do one thing after the other whatever happens: what cannot even be recorded must not reach the program."""
    theirs: Exception | None = None
    for act in acts:
        try:
            act()
        except Exception as error:  # noqa: BLE001 - nothing is left that could be done about it
            theirs = error if from_signal(error) else theirs
    if theirs is not None:
        raise theirs


def record(error: BaseException, hook: str) -> None:
    """Write down what went wrong, before the steps that are still to be written: it may have been in these."""
    if journal is None:
        return
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    trace = traceback.extract_tb(error.__traceback__)
    at = f"{trace[-1].filename}:{trace[-1].lineno}" if trace else ""
    journal.write("fault", error=text, hook=hook, at=at)
    journal.flush()

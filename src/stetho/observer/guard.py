"""Errors inside the observer end here: they are recorded, the observer goes quiet, training goes on."""

from __future__ import annotations

import functools
import traceback
from typing import TYPE_CHECKING, Callable, TypeVar

if TYPE_CHECKING:
    from typing import ParamSpec

    from .journal import Journal

    P = ParamSpec("P")

R = TypeVar("R")

journal: Journal | None = None
off = False


def guarded(function: Callable[P, R]) -> Callable[P, R | None]:
    """Wrap a hook so that whatever it raises disables the observer instead of reaching the user's program."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R | None:
        if off:
            return None
        try:
            return function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - this is the place where observer errors are isolated
            fault(error, function.__name__)
            return None

    return run


def fault(error: BaseException, hook: str) -> None:
    """Switch the observer off for good, and say why in the recording."""
    global off
    off = True
    if journal is None:
        return
    try:
        text = "".join(traceback.format_exception_only(type(error), error)).strip()
        last = traceback.extract_tb(error.__traceback__)[-1]
        journal.flush()
        journal.write("fault", error=text, hook=hook, at=f"{last.filename}:{last.lineno}")
    except Exception:  # noqa: BLE001 - what cannot even be recorded must still not reach the program
        return

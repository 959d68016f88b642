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
        global off
        if off:
            return None
        try:
            return function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - this is the place where observer errors are isolated
            off = True
            if journal is not None:
                text = "".join(traceback.format_exception_only(type(error), error)).strip()
                last = traceback.extract_tb(error.__traceback__)[-1]
                journal.write("fault", error=text, hook=function.__name__, at=f"{last.filename}:{last.lineno}")
            return None

    return run

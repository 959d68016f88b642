"""What is computed again in backward, by torch.utils.checkpoint, is computed as it was the first time."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, ContextManager, Optional

import torch
import torch.utils.checkpoint

if TYPE_CHECKING:
    from .run import Run

Lent = Callable[[], Optional[Callable[[], ContextManager[Any]]]]
"""`lent()`: what makes the scope to be entered again, if anything is lent just now."""


def lend_again(run: Run, lent: Lent) -> None:
    """Put around the later calls of a checkpointed function what is lent at its first one.

    Torch calls it in a thread of its own where there is a device, out of reach of hooks: so the function is wrapped.
    """

    def checkpoint(original: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
        scope = lent() if torch.is_grad_enabled() else None
        if torch.is_grad_enabled() and not run.inside_model and not run.computing_again:
            run.contradicted("what is computed again in backward is no part of a model that is called")
        return original(function if scope is None else again(function, scope), *args, **kwargs)

    def again(function: Any, scope: Any) -> Any:
        calls: list[None] = []

        @functools.wraps(function, updated=())
        def computed(*given: Any, **named: Any) -> Any:
            calls.append(None)
            if len(calls) == 1:
                return function(*given, **named)
            run.computing_again += 1
            try:
                with scope():
                    return function(*given, **named)
            finally:
                run.computing_again -= 1

        return computed

    run.instead(torch.utils.checkpoint, "checkpoint", checkpoint)

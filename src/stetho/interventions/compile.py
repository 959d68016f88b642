"""Run a compiled model as it is written, or compile one.

## What changes
Off: torch.compile and Module.compile hand back what they are given. On: the forward of each whole model is compiled
when it is first called, by inductor or the backend given, and used from its second call on; random numbers are drawn
as they are without.

## How it is known
The compiler's own counts: no graph was compiled, or one was.

## What it tells
If the symptom goes away without, the compiler makes it; what then remains is the model's own. On: whether the model can
be compiled, and what it does then.

## When it says nothing
Off: programs that compile nothing, and graphs that a library keeps compiled. On: programs that compile already.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the compiler?"
applies = "off: programs that call torch.compile; on: models that can be compiled"
values = {"off": "as it is written", "on": "by inductor", "on:BACKEND": "by another backend of torch.compile"}
example = "off"
alters = "time"
moves = "off: graphs that are compiled draw their random numbers in a way of their own"


def read(value: str) -> str:
    """The backend, or nothing for off."""
    name, _, backend = value.partition(":")
    if name not in ("off", "on") or (name == "off" and backend):
        raise ValueError("off, on, or on with a backend")
    return "" if name == "off" else backend or "inductor"


def apply(run: Run, value: str) -> None:
    """Take the compiler's place, or call it for the program."""
    backend = read(value)
    if backend:
        put_on(run, backend)
    else:
        take_off(run)


def graphs() -> int:
    """Frames that the compiler has made graphs of; it is not loaded for the question."""
    module: Any = sys.modules.get("torch._dynamo.utils")
    return 0 if module is None else int(module.counters["frames"]["ok"])


def take_off(run: Run) -> None:
    """Hand back what was to be compiled."""
    torch = run.torch

    def as_it_is(original: Any, model: Any = None, **kwargs: Any) -> Any:
        if model is None:
            return lambda function: as_it_is(original, function, **kwargs)
        run.applied()
        if isinstance(model, torch.nn.Module):
            # Programs look below the compiled model for the one they wrote.
            vars(model).setdefault("_orig_mod", model)
        return model

    def nothing(original: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        run.applied()

    run.instead(torch, "compile", as_it_is)
    run.instead(torch.nn.Module, "compile", nothing)

    @run.on_stepped
    def look(optimizer: Any) -> None:
        if not run.count:
            run.refused("the program compiles nothing")
        elif graphs():
            run.contradicted("something was compiled nevertheless")
        else:
            run.verified()


def put_on(run: Run, backend: str) -> None:
    """Compile the forward of each model at its first call."""
    known: set[int] = set()

    @run.on_entering
    def compiled(module: Any, training: bool) -> None:
        if id(module) in known:
            return
        known.add(id(module))
        if run.compiles and not run.count:
            run.refused("the program compiles its model already")
            return
        import torch._dynamo

        # What cannot be compiled is to run as it is written; the counts then say so.
        torch._dynamo.config.suppress_errors = True
        if backend == "inductor":
            import torch._inductor.config as settings

            settings.fallback_random = True
        vars(module)["forward"] = torch.compile(module.forward, backend=backend)
        run.watch.modules.adopt(module)
        run.applied()

    @run.on_stepped
    def look(optimizer: Any) -> None:
        if run.count and graphs():
            run.verified()

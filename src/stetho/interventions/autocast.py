"""Switch autocast off, or run the model in half precision.

## What changes
Off: contexts of torch.autocast are entered switched off, so that everything runs in the types that it has. With a type:
calls of whole models run under autocast to it, in training and in evaluation, and their outputs come back as float32;
the program's own loss follows in single precision.

## How it is known
Autocast is asked for just before a context is left, or just before the model returns: off, or on with the type.

## What it tells
If the symptom goes away without, numbers of half precision made it. If it comes with it, the model does not bear them.

## When it says nothing
Off: programs without autocast, also those whose weights are in half precision; contexts inside a compiled graph. On:
programs that run under autocast already.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the precision that operations run in?"
applies = "off: programs that use torch.autocast; on: models in float32"
values = {"off": "as the weights are", "bf16": "the model in bfloat16", "fp16": "the model in float16, without scaling"}
example = "off"
backgrounds = {"off": {"symptom-gone": 0.03, "better": 0.03, "same": 0.84, "worse": 0.05, "new-failure": 0.05}}


def fits(facts: Mapping[str, Any]) -> bool:
    """Where nothing was ever computed under autocast there is nothing to switch off."""
    types = facts.get("types")
    return types is None or bool(types.autocast)


def read(value: str) -> str:
    """The type's name in torch, or nothing for off."""
    if value not in values:
        raise ValueError("off, bf16 or fp16")
    return {"off": "", "bf16": "bfloat16", "fp16": "float16"}[value]


def apply(run: Run, value: str) -> None:
    """Change the contexts of the program, or put one around each call of a model."""
    name = read(value)
    if name:
        put_on(run, getattr(run.torch, name))
    else:
        take_off(run)


def enabled(torch: Any, device: str) -> bool:
    """Whether operations on a device are cast just now."""
    try:
        return bool(torch.is_autocast_enabled(device))
    except TypeError:  # before 2.4 the function took no device
        return bool(torch.is_autocast_cpu_enabled() if device == "cpu" else torch.is_autocast_enabled())


def take_off(run: Run) -> None:
    """Make every context that would be on one that is off."""
    torch = run.torch
    ours: set[int] = set()

    def made(args: Any, kwargs: Any) -> Any:
        given = args[3] if len(args) > 3 else kwargs.get("enabled", True)
        if not given:
            return None
        run.applied()
        ours.add(id(args[0]))
        if len(args) > 3:
            return (*args[:3], False, *args[4:]), kwargs
        return args, {**kwargs, "enabled": False}

    def left(args: Any, kwargs: Any) -> None:
        context = args[0]
        if id(context) not in ours:
            return
        if enabled(torch, str(context.device)):
            run.contradicted("autocast is on although its context was switched off")
        else:
            run.verified()

    run.before(torch.autocast, "__init__", made)
    run.before(torch.autocast, "__exit__", left)

    @run.on_stepped
    def none_seen(optimizer: Any) -> None:
        if not run.count:
            run.refused("the program does not use autocast")


def put_on(run: Run, kind: Any) -> None:
    """Put a context around each call of a model."""
    torch = run.torch
    contexts: list[Any] = []

    def leave() -> None:
        while contexts:
            contexts.pop().__exit__(None, None, None)

    @run.on_entering
    def enter(module: Any, training: bool) -> None:
        leave()
        first = next((p for p in module.parameters() if p.is_floating_point()), None)
        device = "cpu" if first is None else first.device.type
        if enabled(torch, device):
            run.refused("the program runs under autocast already")
            return
        if first is not None and first.dtype != torch.float32:
            run.refused("the weights are not in single precision")
            return
        context = torch.autocast(device, dtype=kind)
        context.__enter__()
        contexts.append(context)
        run.applied()

    @run.on_output
    def single(module: Any, training: bool, output: Any) -> Any:
        """Look, leave, and hand the output on in single precision."""
        if not contexts:
            return None
        if enabled(torch, str(contexts[-1].device)) and contexts[-1].fast_dtype == kind:
            run.verified()
        else:
            run.refused("this type is not supported by autocast here")
        return run.mapped(output, lambda t: t.float() if t.dtype == kind else t)

    @run.on_left
    def over(module: Any, training: bool) -> None:
        leave()

"""Keep activations instead of computing them again in backward, or the other way round.

## What changes
Off: torch.utils.checkpoint runs the function it is given directly, once. On: each part of the model with parameters is
run through it, so that its activations are computed again in backward, with the same random numbers; statistics of
normalisation layers are counted once.

## How it is known
Off: no checkpoint is left in the graph of what comes out. On: parts of the model are seen to run again during backward.

## What it tells
If the symptom goes away without, computing again gave other values than the first time. On: whether memory is the
limit.

## When it says nothing
Off: programs that do not use it. On: models without parts, compiled ones, and those that change their own state in each
call.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the recomputation of activations?"
applies = "off: programs that use torch.utils.checkpoint; on: models that are made of parts"
values = {"off": "activations are kept", "on": "activations are computed again"}
example = "off"
alters = "time"
# Arguments of torch's own; all others are for the function.
OWN = ("use_reentrant", "context_fn", "determinism_check", "debug", "preserve_rng_state", "early_stop")


def read(value: str) -> bool:
    """Whether activations are computed again."""
    if value not in values:
        raise ValueError("off or on")
    return value == "on"


def apply(run: Run, value: str) -> None:
    """Take the place of torch's function, or put it around the parts of the model."""
    if read(value):
        put_on(run)
    else:
        take_off(run)


def take_off(run: Run) -> None:
    """Run the function directly."""
    import torch.utils.checkpoint as place

    def directly(original: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
        output = function(*args, **{k: v for k, v in kwargs.items() if k not in OWN})
        run.applied()
        nodes = [type(t.grad_fn).__name__ for t in run.tensors(output) if t.grad_fn is not None]
        if not any(name.startswith("CheckpointFunction") for name in nodes):
            run.verified()
        return output

    run.instead(place, "checkpoint", directly)

    @run.on_stepped
    def none_seen(optimizer: Any) -> None:
        if not run.count:
            run.refused("the program does not checkpoint activations")


def put_on(run: Run) -> None:
    """Wrap the parts of a model at its first call for training."""
    torch = run.torch
    from torch.utils.checkpoint import checkpoint

    known: set[int] = set()

    def parts(module: Any) -> list[Any]:
        """The parts of a model; what only wraps another is looked through."""
        found = [m for m in module.children() if next(m.parameters(), None) is not None]
        callable_ones = [m for m in found if not isinstance(m, (torch.nn.ModuleList, torch.nn.ModuleDict))]
        inner = [p for m in found if m not in callable_ones for p in m.children()]
        if len(callable_ones) == 1 and not inner and parts(callable_ones[0]):
            return parts(callable_ones[0])
        return callable_ones + inner

    def again(part: Any, forward: Any) -> Any:
        @functools.wraps(forward)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            if not torch.is_grad_enabled() or not part.training or run.in_backward:
                return forward(*args, **kwargs)
            run.applied()
            return checkpoint(counted, *args, use_reentrant=False, **kwargs)

        def counted(*args: Any, **kwargs: Any) -> Any:
            if not run.in_backward:
                return forward(*args, **kwargs)
            run.verified()
            norms = [(m, m.momentum) for m in part.modules() if getattr(m, "num_batches_tracked", None) is not None]
            for one, _ in norms:
                one.momentum = 0.0
                one.num_batches_tracked.sub_(1)
            try:
                return forward(*args, **kwargs)
            finally:
                for one, momentum in norms:
                    one.momentum = momentum

        return wrapped

    @run.on_entering
    def wrap(module: Any, training: bool) -> None:
        if not training or id(module) in known:
            return
        known.add(id(module))
        if run.compiles:
            run.refused("the model is compiled")
            return
        found = parts(module)
        if not found:
            run.refused("the model has no parts")
        for part in found:
            vars(part)["forward"] = again(part, part.forward)

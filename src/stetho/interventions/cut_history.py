"""Detach, after each step, whatever still has a graph: nothing of one step is part of the next one's.

## What changes
When an optimizer has stepped, every tensor that the program holds and that has a graph is detached in place. With
several optimizers, what was computed since the last round of their steps keeps its graph.

## How it is known
Later graphs hold no node of an earlier step, and graphs of earlier steps are gone.

## What it tells
If memory or the time of a step no longer grows, the graphs of earlier steps were kept alive.

## When it says nothing
Nothing has a graph after a step. Views, which cannot be detached in place.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
by_hand = False
question = "Do memory and time still grow when no graph outlives its step?"
applies = "programs that hold tensors with a graph from step to step"
values = {"": "after each step"}
alters = "upkeep"
cost = 1.5
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.01, "same": 0.90, "worse": 0.04, "new-failure": 0.04}}
# Objects are looked through whole at the first steps and then now and then; in between, those made lately.
WHOLE, EVERY = 3, 50


def apply(run: Run, value: str) -> None:
    """Look through what Python holds after each step; where parameters are changed by hand, after each backward."""
    torch, watch = run.torch, run.watch
    state = {"boundary": 0, "times": 0}

    def tensors() -> list[Any]:
        state["times"] += 1
        whole = state["times"] <= WHOLE or state["times"] % EVERY == 0
        known = gc.get_objects() if whole else gc.get_objects(generation=0) + gc.get_objects(generation=1)
        # Not isinstance: objects that stand for others, loaded when first used, answer to that.
        return [one for one in known if issubclass(type(one), torch.Tensor) and one.requires_grad and not one.is_leaf]

    def detached(one: Any) -> bool:
        try:
            one.detach_()
        except RuntimeError:
            run.refused("what is kept is a view, which cannot be detached in place")
            return False
        return True

    def cut() -> None:
        several = len(watch.optimizers) > 1
        old = [one for one in tensors() if not several or watch.history.before(one, state["boundary"])]
        run.applied(sum(map(detached, old)))
        state["boundary"] = watch.history.now()
        looked = watch.history.last
        if looked is not None and state["times"] > WHOLE:
            if looked.carried or looked.held:
                run.contradicted("graphs of earlier steps are still there")
            else:
                run.verified()

    @run.on_step_over
    def stepped(optimizer: Any) -> None:
        if not watch.manual.on and optimizer is run.optimizers[0]:
            cut()

    @run.on_backward_over
    def by_hand() -> None:
        if watch.manual.on:
            cut()

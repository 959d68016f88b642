"""Run under autograd's anomaly mode, which ends a run at the operation whose gradient is the first NaN.

## What changes
The mode is on from the beginning, also where the program switches it off. A backward that makes a NaN raises, and names
the line of the forward that belongs to it.

## How it is known
What backward is called on carries the trace of its making, which only this mode leaves there.

## What it tells
If the run ends here, the message names the operation. If it does not, no backward has made a NaN.

## When it says nothing
Programs that run under it themselves; NaN that arises in forward; compiled graphs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Which operation makes the first gradient that is not a number?"
applies = "programs that call backward"
values = {"": "from the beginning"}
alters = "time"
cost = 3.0


def apply(run: Run, value: str) -> None:
    """Switch the mode on before each call of a model, since frameworks set it when they begin to train."""
    torch = run.torch
    state = {"asked": False}

    def switch() -> None:
        torch.set_anomaly_enabled(True, True)

    def asked(args: Any, kwargs: Any) -> Any:
        state["asked"] = state["asked"] or bool(kwargs.get("mode", args[1] if len(args) > 1 else True))
        return (args[0], True), {}

    def detecting(args: Any, kwargs: Any) -> None:
        state["asked"] = True

    switch()
    run.before(torch.autograd.set_detect_anomaly, "__init__", asked)
    run.before(torch.autograd.detect_anomaly, "__init__", detecting)

    @run.on_entering
    def again(module: Any, training: bool) -> None:
        if not torch.is_anomaly_enabled():
            switch()

    @run.on_backward
    def look(losses: Any) -> None:
        if state["asked"]:
            run.refused("the program runs under anomaly mode itself")
            return
        nodes = [t.grad_fn for t in losses if t.grad_fn is not None]
        if torch.is_anomaly_enabled() and nodes:
            run.applied()
            if any("traceback_" in node.metadata for node in nodes):
                run.verified()

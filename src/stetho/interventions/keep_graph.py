"""Leave values in the graph that the program takes out of it, where parameters are cut off from the loss by that.

## What changes
The first two steps show which lines keep parameters that an optimizer holds from the loss: a `detach`, a `.data`, or
operations without gradients inside a model. From then on a value that such a line takes out stays in the graph.

## How it is known
Parameters that had no gradient at any step have one.

## What it tells
If learning gets clearly better, what was cut off was needed.

## When it says nothing
Values that leave torch on their way, by `item`, `tolist` or numpy. Parameters that the loss reaches already, or that
nothing is computed with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
by_hand = False
question = "Does it learn when the graph is not cut on its way from the parameters to the loss?"
applies = "models of torch's in which values are taken out of the graph"
values = {"": "where it keeps parameters from the loss"}
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.71, "worse": 0.16, "new-failure": 0.07}}


class Lines:
    """The lines at which values stay in the graph, and the parameters that come to the loss by it."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.cut: list[Any] = []
        self.taken: set[tuple[Any, ...]] = set()
        self.calls: set[tuple[Any, ...]] = set()
        self.inside = self.known = False
        self.lent = 0

    def find(self, optimizer: Any) -> None:
        """Once the first steps have shown it: which lines keep which parameters from the loss."""
        watch = self.run.watch
        if self.known or self.run.steps(optimizer) < 2:
            return
        self.known = True
        reached = watch.reach.reached
        held = [p for one in self.run.optimizers for group in one.param_groups for p in group["params"]]
        self.cut = [p for p in held if p.requires_grad and p.grad is None and id(p) not in reached]
        behind = {id(p) for p in self.cut}
        cuts = [c for c in watch.tracer.cuts.lines.values() if c.behind & behind and c.frames]
        sure = [c for c in cuts if c.kind in ("detach", "data")]
        for one in sure or [c for c in cuts if c.kind == "no_grad"]:
            if one.kind != "no_grad":
                self.taken.add(tuple(one.frames[0]))
            elif one.recorded:
                self.inside = True
            else:
                self.calls.add(tuple(one.frames[0]))
        if not (self.taken or self.calls or self.inside):
            self.run.refused("nothing takes values out of the graph that could stay in it")

    def here(self, wanted: set[tuple[Any, ...]]) -> bool:
        """Whether the program is at one of these lines."""
        frames = self.run.called_from() if wanted else ()
        return bool(frames) and tuple(frames[0]) in wanted

    def look(self, optimizer: Any) -> None:
        """Count the parameters that have come to a gradient."""
        came = [p for p in self.cut if p.grad is not None]
        if came:
            self.run.verified(len(came))
            self.cut = [p for p in self.cut if p.grad is None]


def apply(run: Run, value: str) -> None:
    """Let `detach`, `.data` and `no_grad` do nothing at the lines found."""
    torch, lines = run.torch, Lines(run)
    run.on_gradients(lines.find)
    run.on_gradients(lines.look)

    def kept(original: Any, tensor: Any, *args: Any, **kwargs: Any) -> Any:
        if lines.taken and torch.is_grad_enabled() and tensor.requires_grad and lines.here(lines.taken):
            run.applied()
            return tensor.view_as(tensor)
        return original(tensor, *args, **kwargs)

    run.instead(torch.Tensor, "detach", kept)
    run.instead(torch, "detach", kept)
    plain = torch.Tensor.data

    def data(tensor: Any) -> Any:
        return kept(plain.__get__, tensor)

    torch.Tensor.data = property(data, plain.__set__)

    def entered(original: Any, context: Any) -> Any:
        result = original(context)
        if lines.inside and run.inside_model and run.watch.modules.recording:
            run.applied()
            torch._C._set_grad_enabled(True)
        return result

    run.instead(torch.no_grad, "__enter__", entered)

    @run.on_entering
    def enter(module: Any, training: bool) -> None:
        if not torch.is_grad_enabled() and lines.here(lines.calls):
            torch._C._set_grad_enabled(True)
            lines.lent += 1
            run.applied()

    @run.on_left
    def leave(module: Any, training: bool) -> None:
        if lines.lent:
            lines.lent = 0
            torch._C._set_grad_enabled(False)

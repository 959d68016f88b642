"""From a finite loss along its backward pass to the node whose gradient is the first that is not finite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..graph import node_kind
from .kept import everything_in
from .localisation import nothing
from .nonfinite import finite
from .tape import KEY, Writing

if TYPE_CHECKING:
    from .origin import Origin
    from .tape import Seen


class GradientOrigin:
    """Watches one backward pass of the replay."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.tape = origin.tape
        self.forward = len(origin.tape.seen)
        self.found: dict[str, Any] | None = None

    def of(self, loss: Any) -> dict[str, Any] | None:
        """The node of the graph that got finite gradients and sent on others; parameters are left alone."""
        leaves: list[Any] = []
        seen, waiting = {loss.grad_fn}, [loss.grad_fn]
        while waiting:
            node = waiting.pop()
            variable = getattr(node, "variable", None)
            if variable is not None:
                leaves.append(variable)
            else:
                self.follow(node)
            for following, _ in node.next_functions:
                if following is not None and following not in seen:
                    seen.add(following)
                    waiting.append(following)
                    # A node inside a library function belongs to the operation that was seen from outside.
                    if KEY in node.metadata and KEY not in following.metadata:
                        following.metadata[KEY] = node.metadata[KEY]
        # grad() instead of backward(): it accumulates nowhere and wakes no hook of a distributed wrapper.
        torch.autograd.grad(loss, leaves, allow_unused=True)
        return self.found

    def follow(self, node: Any) -> None:
        """Note when finite gradients come to a node and others leave it."""
        if isinstance(node, torch.autograd.function.BackwardCFunction):
            self.look_inside(node)
        maker: Seen | None = node.metadata.get(KEY)

        def passed(out: Any, came: Any) -> None:
            if self.found is None and spoiled(out) and not spoiled(came):
                self.found = self.described(node, maker)

        node.register_hook(passed)

    def described(self, node: Any, maker: Seen | None) -> dict[str, Any]:
        """The node that spoiled the gradient, as an origin."""
        if maker is None:
            return {**nothing(), "phase": "backward", "op": node_kind(node).lower()}
        if self.origin.culprits(maker):
            # The numbers were lost before, in a place that the loss itself did not depend on.
            return self.origin.of(next(everything_in(maker.out)))
        body = self.origin.described(maker)
        inner = self.tape.first_bad(self.forward)
        if inner is not None and inner.frames:
            # A gradient written by hand: the line inside it that went wrong.
            body["frames"] = inner.frames
        body["phase"] = "backward"
        return body

    def look_inside(self, node: Any) -> None:
        """See the operations of a gradient that is written by hand; the engine runs it outside any mode."""
        mode = Writing(self.tape)

        def begin(_came: Any) -> None:
            self.tape.running, self.tape.called_at = [], []
            mode.__enter__()

        def end(_out: Any, _came: Any) -> None:
            mode.__exit__(None, None, None)

        node.register_prehook(begin)
        node.register_hook(end)


def spoiled(gradients: Any) -> bool:
    """Whether one of these gradients is not finite."""
    return any(g is not None and not finite(g) for g in gradients)

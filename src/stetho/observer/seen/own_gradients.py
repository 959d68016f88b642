"""The gradients of this rank alone: whether they are finite before those of other ranks are added to them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import torch

from ..guard import guarded
from ..replay.nonfinite import finite
from ..unseen import unrecorded
from . import gradients

if TYPE_CHECKING:
    from ..patches import Patches
    from ..watch import Watch
    from ..watched import Watched

# Steps that are told of; what stays lost is told enough by then.
MOST = 8
LOWEST = -(2**40)


class OwnGradients:
    """Looks at gradients where ranks have not met yet: on the way into a wrapped model's, else after backward."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        # Whether a wrapper of torch's exchanges gradients inside backward, after which they are everybody's.
        self.wrapped = False
        self.lost = self.followed = False
        self.left = MOST

    def install(self, patches: Patches) -> None:
        """Follow the gradients of every model that is wrapped from now on."""
        wrapper = torch.nn.parallel.DistributedDataParallel
        original = wrapper.__init__
        mine = self

        @functools.wraps(original)
        def wrap(module: Any, *args: Any, **kwargs: Any) -> None:
            original(module, *args, **kwargs)
            mine.follow(module)

        patches.replace(wrapper, "__init__", wrap)

    @guarded
    def follow(self, module: Any) -> None:
        """Look at what comes to each parameter; the wrapper keeps the nodes that this hangs on."""
        self.wrapped = True
        here = [p for p in module.parameters() if p.requires_grad and p.is_cpu and type(p) in gradients.PLAIN]
        with torch.enable_grad():
            nodes = [p.expand_as(p).grad_fn.next_functions[0][0] for p in here]
        handles: Any = torch.utils.hooks.RemovableHandle
        number = handles.next_id
        # Numbers of the program's own hooks go on as they would; below zero nobody else has any.
        handles.next_id = LOWEST
        try:
            for node in nodes:
                if hasattr(node, "register_prehook"):
                    node.register_prehook(self.comes)
                    self.followed = True
        finally:
            handles.next_id = number

    @guarded
    def comes(self, given: Any) -> None:
        """A gradient on its way to a parameter; nothing is handed back, so that it goes on as it is."""
        if not self.lost and self.left and not all(g is None or whole(g) for g in given):
            self.lost = True

    def begins(self) -> None:
        """Before a backward: what was lost and cleared since, in a step that was not taken, is none of the next one."""
        if self.lost and all(map(whole, self._held())):
            self.lost = False

    def ended(self) -> None:
        """After a backward: where no wrapper has exchanged them, gradients are still those of this rank."""
        if self.wrapped or not self.left:
            return
        held = self._held()
        self.followed = self.followed or bool(held)
        with unrecorded():
            # One number tells of all where the careful way is not needed.
            size = gradients.length(held) if held else 0.0
            self.lost = size is None and not all(map(whole, held))

    def _held(self) -> list[Any]:
        parameters = [p for watched in self.watch.optimizers.values() for p in watched.parameters()]
        return [g for g in gradients.given(parameters) if g.is_cpu and type(g) in gradients.PLAIN]

    def stepped(self, watched: Watched) -> None:
        """A step was taken: say whether what this rank gave to it was lost, and once that it is looked at."""
        if self.left == MOST and self.followed:
            self.left -= 1
            body = {"lost": self.lost, "wrapped": self.wrapped}
            self.watch.journal.write("own-gradient", o=watched.index, i=watched.steps, **body)
        elif self.lost and self.left:
            self.left -= 1
            self.watch.journal.write("own-gradient", o=watched.index, i=watched.steps, lost=True)
        self.lost = False


def whole(gradient: Any) -> bool:
    """Whether all of a gradient is finite; its sum mostly tells, and a sum that is too large is looked at again."""
    with torch._C.DisableTorchFunction(), unrecorded():
        if gradient.is_sparse or gradient.is_complex():
            return finite(gradient)
        total = gradient.sum(dtype=torch.float32).item()
    return (total - total == 0.0) or finite(gradient)

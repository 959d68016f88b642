"""Gradient scalers: the loss behind the scaled one, steps that are left out, and what is still in the gradients."""

from __future__ import annotations

import functools
import weakref
from typing import TYPE_CHECKING, Any

import torch

from .. import guard
from ..guard import guarded

if TYPE_CHECKING:
    from ..patches import Patches
    from ..watch import Watch
    from ..watched import Watched


class Scaling:
    """Follows torch's gradient scaler, and the optimizers that scale by themselves."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        # What a scaler has last made of a loss, and the scaler.
        self.scaled: tuple[Any, Any] | None = None
        self.scale: float | None = None

    def install(self, patches: Patches) -> None:
        """Patch the scaler where it scales a loss, and where it makes a step or leaves it out."""
        scaler: Any = getattr(torch.amp, "GradScaler", None) or torch.cuda.amp.GradScaler
        mine = self
        if hasattr(scaler, "_maybe_opt_step"):
            original = scaler._maybe_opt_step

            @functools.wraps(original)
            def step(self: Any, optimizer: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
                before = mine.steps_of(optimizer)
                result = original(self, optimizer, state, *args, **kwargs)
                mine.scaled_step(self, optimizer, before)
                return result

            patches.replace(scaler, "_maybe_opt_step", step)
        patches.replace(scaler, "unscale_", self.watch.procedure.marking(scaler.unscale_, "u"))
        scale = scaler.scale

        @functools.wraps(scale)
        def scaled(self: Any, outputs: Any) -> Any:
            result = scale(self, outputs)
            if isinstance(result, torch.Tensor) and not guard.off:
                mine.scaled = (weakref.ref(result), self)
            return result

        patches.replace(scaler, "scale", scaled)

    def steps_of(self, optimizer: Any) -> int:
        """How many steps an optimizer has made so far."""
        known = self.watch.optimizers.get(id(optimizer))
        return 0 if known is None else known.steps

    @guarded
    def scaled_step(self, scaler: Any, optimizer: Any, before: int) -> None:
        """Record a step that the scaler left out because a scaled gradient was not finite."""
        if self.steps_of(optimizer) == before:
            self.scale_seen(float(scaler.get_scale()))
            self.left_out(self.watch.known(optimizer))

    def leaves_out(self, optimizer: Any) -> bool:
        """Whether a fused optimizer will pass over this step inside its kernel; an accelerator is not asked."""
        bad = getattr(optimizer, "found_inf", None)
        return isinstance(bad, torch.Tensor) and bad.device.type == "cpu" and bool(bad)

    def left_out(self, watched: Watched) -> None:
        """A step that was not taken: nothing of it belongs to the next one."""
        self.watch.journal.write("skipped", o=watched.index, i=watched.steps, scale=self.scale)
        self.watch.replay.step_ended()
        self.watch.backwards.taken()
        self.watch.own_gradients.lost = False
        self.watch.procedure.taken()
        watched.pending, self.watch.objectives.values, watched.backwards = [], [], 0
        self.watch.procedure.clipped = watched.unclipped = None
        watched.leave_marker()
        watched.cleared = watched.marker is None

    def unscaled(self, loss: Any, value: Any) -> Any:
        """The loss itself where backward is called on what a gradient scaler made of it."""
        scaled, self.scaled = self.scaled, None
        if scaled is None or scaled[0]() is not loss:
            return value
        scale = float(scaled[1].get_scale())
        self.scale_seen(scale)
        return value / scale

    def scale_seen(self, scale: float) -> None:
        """Record a gradient scaler's scale where it is new."""
        if scale != self.scale:
            self.scale = scale
            self.watch.journal.write("scaler", scale=scale, step=self.watch.step)

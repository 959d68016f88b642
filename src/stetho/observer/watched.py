"""What is remembered of one optimizer between its steps."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from .record.steps import Block
from .seen import gradients

if TYPE_CHECKING:
    from .seen.procedure import Clipped
    from .sites import Place
    from .watch import Watch

# Gradients looked at to tell which of several optimizers a backward is for.
PROBES = 4


class Watched:
    """An optimizer under observation: its parameters, its gradients and the steps it has made."""

    def __init__(self, index: int, optimizer: Any, made_at: list[Place], watch: Watch) -> None:
        self.index = index
        # Weakly: a program that trains one model after the other in one process counts on their memory.
        self.reference: weakref.ref[Any] = weakref.ref(optimizer, lambda _: watch.forget(self))
        self.made_at = made_at
        self.step_at: list[Place] = []
        self.steps = 0
        self.sequence = 0  # of the graph's nodes, those with lower numbers were made before its last step
        self.cleared = True
        self.block = Block(watch.journal, index)
        self.norm: Any = None
        self.parts: list[Any] | None = None  # the norm of each gradient, as of this step's start
        self.unclipped: list[Any] | None = None  # the same before clipping, where that cannot be told afterwards
        self.scheduled = False
        self.left_out = False
        self.scale = 1.0
        self.before: gradients.Before | None = None
        self.backwards = 0
        self.held: list[Any] = []
        self.groups = self.last = -1
        self.size = 0
        self.named = 0  # parameters whose names are written
        self.close = False
        self.moved: list[bool] = []
        self.still: set[int] = set()
        self.unsure: set[int] = set()
        self.given: list[bool] = []  # which of its parameters had a gradient at a sampled step
        # A parameter with its gradient as the last step left it, by which a missing reset can be told.
        self.marker: tuple[Any, Any, int] | None = None
        self.kept = False
        # Losses whose gradients lie in its parameters, kept apart once there are several optimizers.
        self.pending: list[tuple[int, Any]] = []
        # Whether a step with a closure is under way, in which gradients are cleared and made anew.
        self.stepping = False
        self.grads: list[tuple[Any, int]] = []

    @property
    def optimizer(self) -> Any:
        """The optimizer, as long as the program has it."""
        return self.reference()

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.held, self.groups, self.parts, self.before, self.marker = [], -1, None, None, None
        self.pending, self.grads = [], []

    def gradients_now(self) -> list[tuple[Any, int]]:
        """A few of its gradients with their versions, by which it is told whether a backward reached it."""
        held = [p.grad for p in self.parameters()[:: max(1, len(self.parameters()) // PROBES)]]
        return [(g, -1 if g is None else g._version) for g in held]

    def reached(self) -> bool:
        """Whether the backward that has just ended has left something here."""
        return any(
            new is not old or after != before for (old, before), (new, after) in zip(self.grads, self.gradients_now())
        )

    def parameters(self) -> list[Any]:
        """All parameters it holds now; groups may be added later."""
        optimizer = self.reference()
        if optimizer is None:
            return []
        groups, held = optimizer.param_groups, self.held
        first = groups[0]["params"]
        # Wrappers that shard or cast a model put other parameters in the places of the first ones.
        same = held and first and first[0] is held[0]
        if same and len(groups) == self.groups and len(groups[-1]["params"]) == self.last:
            return held
        self.groups, self.last = len(groups), len(groups[-1]["params"])
        self.held = held = [p for group in groups for p in group["params"]]
        self.size = sum(p.numel() for p in held)
        return held

    def norm_now(self, clipped: Clipped | None) -> Any:
        """The global norm before clipping; clipping has just computed it where it was told all parameters."""
        self.parts = None
        # After clipping by value, what clipping by norm has computed is no longer what backward left.
        known = clipped is not None and clipped.whole and self.unclipped is None
        if clipped is not None and known and not self.close:
            return clipped.total
        found = gradients.given(self.held)
        if not found:
            return clipped.total if clipped is not None and known else 0.0
        if self.unclipped is not None:
            self.parts, self.unclipped = self.unclipped, None
            value = gradients.total(self.parts)
        elif self.size > gradients.EXACT and not self.close:
            self.block.estimated = True
            value = gradients.estimate(found)
        else:
            # One by one only where each is recorded.
            value = None if self.close else gradients.length(found)
            if value is None:
                self.parts = gradients.norms(found)
                value = gradients.total(self.parts)
        if clipped is not None and known:
            self.scale = clipped.factor
            return clipped.total
        # A fused optimizer divides by a gradient scaler's factor itself, so that it is still in the gradients.
        scale = getattr(self.reference(), "grad_scale", None)
        self.scale = 1.0 if scale is None else 1.0 / float(scale)
        return value if scale is None else value * self.scale

    def look_for_reset(self) -> None:
        """Tell, before the first backward after a step, whether that step's gradients are still there."""
        if self.cleared or self.marker is None:
            return
        parameter, old, version = self.marker
        new = parameter.grad
        if new is None:
            self.cleared = True
        elif new is not old or new._version != version:
            # Something wrote to it or replaced it; only a gradient of zeros counts as cleared.
            self.cleared = new.is_sparse or not bool(gradients.local(new).detach().any())

    def leave_marker(self) -> None:
        """Note a small parameter's gradient as this step leaves it; the same parameter as long as it has one."""
        if self.marker is not None and self.marker[0].grad is not None:
            parameter = self.marker[0]
        else:
            found = [p for p in self.parameters() if p.grad is not None and not p.grad.is_sparse]
            parameter = min(found, key=lambda p: p.numel(), default=None)
        gradient = None if parameter is None else parameter.grad
        self.marker = None if gradient is None else (parameter, gradient, gradient._version)

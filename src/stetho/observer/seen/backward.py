"""What backward is called on: the losses of a step, and whom they train."""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any

import torch

from .. import guard
from ..graph import leaves_of
from ..guard import guarded
from ..unseen import is_compiling, unrecorded

if TYPE_CHECKING:
    from ..patches import Patches
    from ..watch import Watch

# Losses kept for one step, the last ones: a program may call backward for ever and never step.
LOSSES = 4096


class Backwards:
    """Follows every backward, and keeps the losses until the step that they are for."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.inside = False
        self.pending: list[tuple[int, Any]] = []
        # A loss whose gradients were asked for by name.
        self.aside: tuple[int, Any] | None = None
        # When the last one began and how long it took, where several ranks wait for each other in it.
        self.time: tuple[float, float] | None = None

    def install(self, patches: Patches) -> None:
        """Patch the two functions that all ways to gradients lead through."""
        self._patch_backward(patches)
        self._patch_grad(patches)

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.pending, self.aside = [], None

    def taken(self) -> list[tuple[int, Any]]:
        """The losses since the last step."""
        losses, aside = self.pending, self.aside
        self.pending, self.aside = [], None
        return [aside] if not losses and aside is not None else losses

    def _patch_backward(self, patches: Patches) -> None:
        original = torch.autograd.backward
        mine, watch = self, self.watch

        @functools.wraps(original)
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            # Activation checkpointing of the older kind calls it from inside.
            if mine.inside or guard.away() or is_compiling():
                return original(tensors, *args, **kwargs)
            if watch.run.calls and watch.run.wants("objective"):
                tensors = mine.instead_of(tensors)
            mine.begins(tensors, args, kwargs)
            begun = time.perf_counter() if watch.ranks else 0.0
            mine.inside = True
            try:
                result = original(tensors, *args, **kwargs)
                if watch.run.calls:
                    mine.changed()
                return result
            except RuntimeError:
                mine.inside = False
                mine.failed(tensors)
                raise
            finally:
                mine.inside = False
                if len(watch.optimizers) > 1:
                    mine.share()
                if watch.ranks or watch.manual.on:
                    mine.ended(begun)

        patches.replace(torch.autograd, "backward", backward)

    def _patch_grad(self, patches: Patches) -> None:
        original = torch.autograd.grad
        mine = self

        @functools.wraps(original)
        def grad(outputs: Any, *args: Any, **kwargs: Any) -> Any:
            higher = kwargs.get("create_graph", args[3] if len(args) > 3 else False)
            if mine.inside or higher or guard.away() or is_compiling():
                return original(outputs, *args, **kwargs)
            mine.asked(outputs)
            mine.inside = True
            try:
                result = original(outputs, *args, **kwargs)
            finally:
                mine.inside = False
            if mine.watch.manual.on:
                mine.given(args[0] if args else kwargs.get("inputs"), result)
            return result

        patches.replace(torch.autograd, "grad", grad)

    def instead_of(self, tensors: Any) -> Any:
        """What the experiment has backward called on; anything but one number stays as it is."""
        losses = losses_in(tensors)
        if len(losses) != 1 or losses[0].numel() != 1:
            return tensors
        given = self.watch.run.objective(losses[0])
        return given if isinstance(given, torch.Tensor) and given.shape == losses[0].shape else tensors

    @guarded
    def begins(self, tensors: Any, args: Any, kwargs: dict[str, Any]) -> None:
        """See whether gradients were cleared, and keep the loss, which the next step writes."""
        watch = self.watch
        if watch.run.calls:
            watch.run.meetings.over()
        losses = [tensors] if type(tensors) is torch.Tensor else losses_in(tensors)
        if watch.manual.on and losses:
            watch.manual.backward_begins(losses[0])
        watch.procedure.mark("b")
        watch.procedure.backward_follows()
        for watched in watch.optimizers.values():
            watched.backwards += 1
            if not watched.cleared:
                watched.look_for_reset()
        if len(watch.optimizers) > 1:
            self._several()
        if watch.ranks:
            watch.own_gradients.begins()
        site = watch.journal.here(3)
        for loss in losses:
            if loss.numel() == 1:
                self._loss_known(loss, site)
        tracer = watch.tracer
        if tracer.looking and losses:
            with unrecorded():
                tracer.walk(losses[0], bool(kwargs.get("retain_graph") or (len(args) > 1 and args[1])))
        if tracer.mode is not None:
            tracer.backward_begins()
        if watch.functions.armed:
            watch.functions.compare()
        if not watch.optimizers:
            watch.journal.write("backward", site=site)
        elif watch.unstepped.on:
            watch.unstepped.backward()
        if watch.run.calls:
            watch.run.fire("backward", losses)

    def _several(self) -> None:
        """Before a backward with several optimizers: how their gradients are now."""
        for watched in self.watch.optimizers.values():
            watched.grads = watched.gradients_now()
            if not watched.stepping and all(gradient is None for gradient, _ in watched.grads):
                watched.pending = []

    def _loss_known(self, loss: Any, site: int) -> None:
        """Keep the value of a loss for the step, and look at it now if it is not finite."""
        watch = self.watch
        known = loss.item() if loss.is_cpu else loss.detach()
        if watch.scaling.scaled is not None:
            known = watch.scaling.unscaled(loss, known)
        keep(self.pending, (site, known))
        watch.objectives.backward_on(loss)
        watch.replay.backward(loss, known)

    @guarded
    def changed(self) -> None:
        """Tell the experiment's change that the gradients of this backward are there."""
        self.watch.run.fire("backward over")

    @guarded
    def failed(self, tensors: Any) -> None:
        """Look at a graph that refuses; anomaly mode ends the program at a gradient before any step could see it."""
        for loss in losses_in(tensors)[:1]:
            self.watch.history.refused(loss)
        if torch.is_anomaly_enabled():
            self.watch.replay.localise("a gradient", self.watch.step)

    @guarded
    def asked(self, outputs: Any) -> None:
        """A gradient asked for by name: the loss of a step to come, unless backward is called for it as well."""
        watch = self.watch
        if watch.run.calls:
            watch.run.meetings.over()
        loss = outputs[0] if type(outputs) in (list, tuple) and len(outputs) == 1 else outputs
        if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
            return
        if watch.manual.on:
            watch.manual.backward_begins(loss)
        watch.procedure.mark("b")
        known = loss.item() if loss.is_cpu else loss.detach()
        self.aside = (watch.journal.here(3), known)
        watch.replay.backward(loss, known)
        if watch.tracer.looking:
            with unrecorded():
                watch.tracer.walk(loss, False)
        if watch.tracer.mode is not None:
            watch.tracer.backward_begins()

    @guarded
    def share(self) -> None:
        """Give the loss to those of several optimizers whose parameters the backward has reached."""
        optimizers = self.watch.optimizers.values()
        trained = [w for w in optimizers if self.pending and w.reached()]
        for watched in trained:
            keep(watched.pending, self.pending[-1])
        if trained:
            self.pending.pop()
        for watched in optimizers:
            watched.grads = []

    @guarded
    def given(self, inputs: Any, result: Any) -> None:
        """Gradients that the program got by name, and may now use for an update of its own."""
        inputs = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs or ())
        if inputs and all(p.is_leaf and p.is_floating_point() for p in inputs):
            self.watch.manual.backward_ended([g for g in result if g is not None])

    @guarded
    def ended(self, begun: float) -> None:
        """When this rank came to backward and how long it took: those who come early wait in it for the last."""
        if self.watch.ranks:
            spent = time.perf_counter() - begun
            self.time = (time.time() - spent, spent)
            self.watch.own_gradients.ended()
        if self.watch.manual.on:
            self.watch.manual.backward_ended()

    def step_of(self, loss: Any) -> int:
        """The step under way of the optimizer that this loss trains: the one with most of what the loss reaches."""
        optimizers = list(self.watch.optimizers.values())
        if len(optimizers) < 2:
            return self.watch.step
        reached = {id(leaf) for leaf in leaves_of(loss)}
        return max(optimizers, key=lambda w: sum(id(p) in reached for p in w.parameters())).steps


def keep(losses: list[tuple[int, Any]], loss: tuple[int, Any]) -> None:
    """Put a loss behind the others; where there are too many, the older half goes."""
    if len(losses) >= LOSSES:
        del losses[: LOSSES // 2]
    losses.append(loss)


def losses_in(tensors: Any) -> list[Any]:
    """The tensors that backward is called on; not from an iterator, as what is taken from one is gone."""
    given = (tensors,) if isinstance(tensors, torch.Tensor) else tensors if type(tensors) in (list, tuple) else ()
    return [t for t in given if isinstance(t, torch.Tensor)]

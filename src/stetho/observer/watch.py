"""One process under observation: optimizers, their steps, and what backward is called on."""

from __future__ import annotations

import atexit
import functools
import math
import os
import sys
import time
import weakref
from _thread import get_ident
from typing import TYPE_CHECKING, Any, NoReturn

import torch

from . import gradients, guard, sites
from .change import Run
from .data import Data
from .graph import leaves_of
from .guard import anywhere, guarded
from .loops import planned
from .manual import Manual
from .modules import Modules
from .objectives import Objectives
from .patches import Patches
from .procedure import Procedure
from .process import Process
from .replay import Replay
from .ring import Ring
from .schedule import sampled
from .steps import Block
from .trace import Tracer
from .twin import asked
from .unseen import unrecorded

if TYPE_CHECKING:
    from .journal import Journal
    from .sites import Place

now = time.perf_counter
# Gradients looked at to tell which of several optimizers a backward is for.
PROBES = 4


class Watched:
    """What is remembered of one optimizer between its steps."""

    def __init__(self, index: int, optimizer: Any, made_at: list[Place], watch: Watch) -> None:
        self.index = index
        # Weakly: a program that trains one model after the other in one process counts on their memory.
        self.reference = weakref.ref(optimizer, lambda _: watch.forget(self))
        self.made_at = made_at
        self.step_at: list[Place] = []
        self.steps = 0
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
        groups = optimizer.param_groups
        first = groups[0]["params"]
        # Wrappers that shard or cast a model put other parameters in the places of the first ones.
        same = bool(self.held) and bool(first) and first[0] is self.held[0]
        if not same or len(groups) != self.groups or len(groups[-1]["params"]) != self.last:
            self.groups, self.last = len(groups), len(groups[-1]["params"])
            self.held = [p for group in groups for p in group["params"]]
            self.size = sum(p.numel() for p in self.held)
        return self.held

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


class Watch:
    """Attaches to torch and writes down what happens at each step."""

    def __init__(self, plan: dict[str, Any], journal: Journal) -> None:
        self.plan = plan
        self.journal = journal
        self.patches = Patches()
        self.optimizers: dict[int, Watched] = {}
        self.made = 0
        self.gone: list[Watched] = []
        # The thread of the first step; a dictionary, as of several that come at once one wins.
        self.claims: dict[None, int] = {}
        self.pending: list[tuple[int, Any]] = []
        self.aside: tuple[int, Any] | None = None
        self.in_backward = False
        self.step = 0
        self.ended = now()
        self.backward_times: list[tuple[float, float]] = []
        self.process = Process(self)
        self.ranks = self.process.world > 1
        self.finite = True
        self.run = Run(self)
        self.procedure = Procedure(self)
        self.modules = Modules(self)
        self.data = Data(self)
        self.tracer = Tracer(self)
        self.objectives = Objectives(self)
        self.replay = Replay(self)
        self.manual = Manual(self)
        self.ring = Ring(self)

    def install(self) -> None:
        """Seed torch if the plan says so, patch it, then load the experiment's change, which may patch on top."""
        if self.plan.get("seed") is not None:
            torch.manual_seed(int(self.plan["seed"]))
        self._patch_optimizer()
        self._patch_backward()
        for part in (self.procedure, self.modules, self.data, self.tracer, self.objectives):
            part.install(self.patches)
        self.journal.gathering.append(self.hand_over)
        atexit.register(self.last_words)
        if hasattr(os, "register_at_fork"):
            # It cannot be taken back, so it must not keep alive what was observed.
            os.register_at_fork(after_in_child=functools.partial(call, weakref.WeakMethod(self.forked)))
        guard.holders.append(self.let_go)
        self.process.install(self.patches)
        self.run.load(self.plan.get("changes", []))

    def remove(self) -> None:
        """Detach: leave torch as it was found, and write what is left to write."""
        self.tracer.stop()
        self.journal.flush()
        self.modules.release()
        self.patches.undo()
        atexit.unregister(self.last_words)
        if self.hand_over in self.journal.gathering:
            self.journal.gathering.remove(self.hand_over)

    @anywhere
    def last_words(self) -> None:
        """At the interpreter's end: write the steps that were still gathered, and look at one left unfinished."""
        if self.manual.on:
            self.manual.end_step()
        self.replay.unfinished()
        self.data.write_batch()
        self.journal.flush()

    def forked(self) -> None:
        """In a forked child: forget the steps that the parent will write."""
        if asked():
            return
        guard.thread, self.claims = None, {}
        self.journal.forget()
        self.ring.forked()
        self.replay.let_go()
        self.data.let_go()
        for watched in self.optimizers.values():
            watched.block.rows = []

    def forget(self, watched: Watched) -> None:
        """The program has let go of an optimizer: so do we, and write its last steps when it is time."""
        watched.let_go()
        self.replay.let_go()
        self.gone.append(watched)
        # A new dictionary: this may happen at any moment, also while somebody goes through the old one.
        self.optimizers = {key: w for key, w in self.optimizers.items() if w is not watched}

    def let_go(self) -> None:
        """Hold nothing of the program's any more: the observer has gone quiet."""
        self.tracer.stop()
        self.replay.on = self.ring.on = False
        holding: list[Any] = [self.replay, self.data, self.objectives, self.modules, self.tracer, self.manual]
        for part in (*holding, *self.optimizers.values()):
            part.let_go()
        self.ring.kept.clear()
        self.pending, self.aside, self.procedure.scaled, self.procedure.clipped = [], None, None, None

    def hand_over(self) -> None:
        """Write the steps that were gathered."""
        gone, self.gone = self.gone, []
        for watched in [*gone, *self.optimizers.values()]:
            watched.block.write()
        self.modules.write_modes()

    def _patch_optimizer(self) -> None:
        from torch.optim import optimizer as module

        original = module.Optimizer.__init__
        watch = self

        @functools.wraps(original)
        def made(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            original(optimizer, *args, **kwargs)
            watch.optimizer_made(optimizer)

        self.patches.replace(module.Optimizer, "__init__", made)
        self.patches.enter(module._global_optimizer_pre_hooks, "stetho", self.step_begins)
        self.patches.enter(module._global_optimizer_post_hooks, "stetho", self.after_step)

    def _patch_backward(self) -> None:
        original = torch.autograd.backward
        watch = self

        @functools.wraps(original)
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            if guard.away() or torch.compiler.is_compiling():
                return original(tensors, *args, **kwargs)
            if watch.in_backward:
                # Activation checkpointing of the older kind calls it from inside.
                return original(tensors, *args, **kwargs)
            watch.before_backward(tensors, args, kwargs)
            begun = now()
            watch.in_backward = True
            try:
                return original(tensors, *args, **kwargs)
            except RuntimeError:
                watch.in_backward = False
                watch.backward_failed()
                raise
            finally:
                watch.in_backward = False
                if len(watch.optimizers) > 1:
                    watch.share_loss()
                if watch.ranks or watch.manual.on:
                    watch.after_backward(begun)

        self.patches.replace(torch.autograd, "backward", backward)
        self._patch_grad()

    def _patch_grad(self) -> None:
        original = torch.autograd.grad
        watch = self

        @functools.wraps(original)
        def grad(outputs: Any, *args: Any, **kwargs: Any) -> Any:
            higher = kwargs.get("create_graph", args[3] if len(args) > 3 else False)
            if guard.away() or higher or watch.in_backward or torch.compiler.is_compiling():
                return original(outputs, *args, **kwargs)
            watch.gradient_taken(outputs)
            watch.in_backward = True
            try:
                result = original(outputs, *args, **kwargs)
            finally:
                watch.in_backward = False
            if watch.manual.on:
                watch.gradients_given(args[0] if args else kwargs.get("inputs"), result)
            return result

        self.patches.replace(torch.autograd, "grad", grad)

    @guarded
    def optimizer_made(self, optimizer: Any) -> None:
        """Record a new optimizer, its settings and its line; the close look begins with the first one."""
        guard.thread = guard.thread or get_ident()
        frames = sites.user_frames(4, 3)
        watched = Watched(self.made, optimizer, sites.places(frames), self)
        self.made += 1
        self.optimizers = {**self.optimizers, id(optimizer): watched}
        self.process.training()
        self.modules.remember_scope(watched, frames)
        self.journal.write(
            "optimizer",
            o=watched.index,
            name=type(optimizer).__name__,
            site=self.journal.site(watched.made_at),
            lr=[number(g.get("lr")) for g in optimizer.param_groups],
            momentum=number(optimizer.defaults.get("momentum")),
            decay=number(optimizer.defaults.get("weight_decay")),
            settings={k: v for k, v in optimizer.defaults.items() if sites.is_plain(v)},
            groups=[sum(p.numel() for p in g["params"]) for g in optimizer.param_groups],
            fused=bool(optimizer.defaults.get("fused")),
        )
        if watched.index == 0:
            self.tracer.look(0)
        self.run.optimizer_made(optimizer)

    def known(self, optimizer: Any) -> Watched:
        """What is remembered of an optimizer, also of one that was made past the patched constructor."""
        if id(optimizer) not in self.optimizers:
            self.optimizer_made(optimizer)
        return self.optimizers[id(optimizer)]

    @guarded
    def before_backward(self, tensors: Any, args: Any, kwargs: dict[str, Any]) -> None:
        """See whether gradients were cleared, and keep the loss, which the next step writes."""
        # Not from an iterator: what is taken from one is gone.
        given = [tensors] if isinstance(tensors, torch.Tensor) else tensors if type(tensors) in (list, tuple) else ()
        losses = [t for t in given if isinstance(t, torch.Tensor)]
        if self.manual.on and losses:
            self.manual.backward_begins(losses[0])
        self.procedure.mark("b")
        for watched in self.optimizers.values():
            watched.backwards += 1
            if not watched.cleared:
                watched.look_for_reset()
            if len(self.optimizers) > 1:
                watched.grads = watched.gradients_now()
                if not watched.stepping and all(gradient is None for gradient, _ in watched.grads):
                    watched.pending = []
        site = self.journal.here(3)
        for loss in losses:
            if loss.numel() == 1:
                self._loss_known(loss, site)
        if losses and self.tracer.looking:
            with unrecorded():
                self.tracer.walk(losses[0], bool(kwargs.get("retain_graph") or (len(args) > 1 and args[1])))
        if self.tracer.mode is not None:
            self.tracer.backward_begins()
        if not self.optimizers:
            self.journal.write("backward", site=site)
        if self.run.calls:
            self.run.before_backward()

    def _loss_known(self, loss: Any, site: int) -> None:
        """Keep the value of a loss for the step, and look at it now if it is not finite."""
        known = loss.item() if loss.device.type == "cpu" else loss.detach()
        if self.procedure.scaled is not None:
            known = self.procedure.unscaled(loss, known)
        self.pending.append((site, known))
        self.objectives.backward_on(loss)
        self.replay.backward(loss, known)

    @guarded
    def backward_failed(self) -> None:
        """Anomaly mode ends the program at a gradient that is not finite, before any step could see it."""
        if torch.is_anomaly_enabled():
            self.replay.localise("a gradient", self.step)

    def step_of(self, loss: Any) -> int:
        """The step under way of the optimizer that this loss trains: the one with most of what the loss reaches."""
        if len(self.optimizers) < 2:
            return self.step
        reached = {id(leaf) for leaf in leaves_of(loss)}
        held = {w.index: sum(id(p) in reached for p in w.parameters()) for w in self.optimizers.values()}
        best = max(held, key=lambda o: held[o])
        return next(w.steps for w in self.optimizers.values() if w.index == best)

    @guarded
    def gradient_taken(self, outputs: Any) -> None:
        """A gradient asked for by name: the loss of a step to come, unless backward is called for it as well."""
        loss = outputs[0] if type(outputs) in (list, tuple) and len(outputs) == 1 else outputs
        if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
            return
        if self.manual.on:
            self.manual.backward_begins(loss)
        self.procedure.mark("b")
        known = loss.item() if loss.device.type == "cpu" else loss.detach()
        self.aside = (self.journal.here(3), known)
        self.replay.backward(loss, known)
        if self.tracer.looking:
            with unrecorded():
                self.tracer.walk(loss, False)
        if self.tracer.mode is not None:
            self.tracer.backward_begins()

    @guarded
    def share_loss(self) -> None:
        """Give the loss to those of several optimizers whose parameters the backward has reached."""
        trained = [w for w in self.optimizers.values() if self.pending and w.reached()]
        for watched in trained:
            watched.pending.append(self.pending[-1])
        if trained:
            self.pending.pop()
        for watched in self.optimizers.values():
            watched.grads = []

    @guarded
    def gradients_given(self, inputs: Any, result: Any) -> None:
        """Gradients that the program got by name, and may now use for an update of its own."""
        inputs = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs or ())
        if inputs and all(p.is_leaf and p.is_floating_point() for p in inputs):
            self.manual.backward_ended([g for g in result if g is not None])

    @guarded
    def after_backward(self, begun: float) -> None:
        """When this rank came to backward and how long it took: those who come early wait in it for the last."""
        if self.ranks:
            spent = now() - begun
            self.backward_times.append((time.time() - spent, spent))
        if self.manual.on:
            self.manual.backward_ended()

    def step_begins(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """Before any step; the thread that makes the first one is followed, whichever made the optimizer."""
        if guard.off:
            # Where the fault was inside the mode, the mode could not be taken off there.
            self.tracer._leave()
            return
        if not self.claims and self.claims.setdefault(None, get_ident()) == get_ident() != guard.thread:
            guard.thread = get_ident()
            self.optimizers = {key: w for key, w in self.optimizers.items() if key == id(optimizer)}
        self.before_step(optimizer, args, kwargs)

    @guarded
    def before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """Measure the gradient that the step will use; with a closure it is made inside the step, so later."""
        if torch.compiler.is_compiling():
            return
        watched = self.known(optimizer)
        watched.left_out = self.procedure.leaves_out(optimizer)
        if watched.left_out:
            return
        self.procedure.mark("s")
        if self.run.calls:
            self.run.before_step(optimizer)
        watched.close = sampled(watched.steps, len(watched.parameters()))
        closure = kwargs.get("closure", args[1] if len(args) > 1 else None)
        watched.stepping = closure is not None
        watched.norm = None if closure is not None else self.norm_of(watched)
        if closure is None and isinstance(watched.norm, float) and not math.isfinite(watched.norm):
            self.replay.gradient_bad(watched)
        if watched.close:
            with unrecorded():
                watched.before = gradients.Before(watched.parameters(), watched.still)

    def norm_of(self, watched: Watched) -> Any:
        """The global norm before clipping; clipping has just computed it where it was told all parameters."""
        watched.parts = None
        clipped = self.procedure.clipped
        if clipped is not None and clipped.whole and not watched.close:
            return clipped.total
        found = [g for g in [p.grad for p in watched.held] if g is not None]
        if not found:
            return clipped.total if clipped is not None and clipped.whole else 0.0
        scale = self.procedure.gradient_scale(watched.optimizer)
        if watched.unclipped is not None:
            watched.parts, watched.unclipped = watched.unclipped, None
            value = gradients.total(watched.parts)
        elif watched.size > gradients.EXACT and not watched.close:
            watched.block.estimated = True
            value = gradients.estimate(found)
        else:
            watched.parts = gradients.norms(found)
            value = gradients.total(watched.parts)
        if clipped is not None and clipped.whole:
            watched.scale = clipped.factor
            return clipped.total
        watched.scale = 1.0 / scale
        return value * watched.scale if scale != 1.0 else value

    @guarded
    def after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """Write the step down, prepare for the next, and end the process at the experiment's bound."""
        if torch.compiler.is_compiling():
            return
        watched = self.known(optimizer)
        if watched.left_out:
            self.procedure.left_out(watched)
            return
        if watched.norm is None:
            watched.norm = self.norm_of(watched)
        ended = now()
        self._gather(watched, ended)
        if watched.before is not None:
            with unrecorded():
                self._write_sample(watched)
        if self.run.calls:
            self.run.after_step(optimizer)
        watched.leave_marker()
        watched.steps += 1
        watched.cleared = watched.marker is None
        watched.backwards = 0
        watched.parts = None
        self.step = max(self.step, watched.steps)
        if self.ring.on:
            self.ring.step_ended(watched)
        self.replay.step_ended()
        self.data.step_ended()
        if not self.modules.written:
            self.modules.step_ended(self.step)
        self.tracer.look(self.step)
        bound = self.plan.get("steps")
        if bound and watched.steps >= bound:
            self.finish("bound")
        if self.journal.due(time.monotonic()):
            self.journal.flush()
        watched.before = None
        # What the observer did just now is not the program's time.
        self.ended = now()

    def _gather(self, watched: Watched, ended: float) -> None:
        """Put the step into its block; a value that is no longer finite is written at once."""
        losses, self.pending, watched.pending = self.pending + watched.pending, [], []
        watched.stepping = False
        if not losses and self.aside is not None:
            losses = [self.aside]
        self.aside = None
        order, wait = self.procedure.taken(), self.data.waited
        if "f" not in order:
            order = self.modules.told_apart(order)
        if watched.scheduled:
            order, watched.scheduled = "l" + order, False
        evaluation, self.modules.evaluation = self.modules.evaluation, 0.0
        self.data.waited = 0.0
        clipped, self.procedure.clipped = self.procedure.clipped, None
        times, self.backward_times = self.backward_times, []
        if watched.steps < 3:
            watched.step_at = sites.here(3, 5)
            watched.block.at = self.journal.site(watched.step_at)
        kept = watched.steps > 0 and not watched.cleared
        row = (
            losses,
            self.objectives.taken(losses),
            [number(g.get("lr")) for g in watched.optimizer.param_groups],
            watched.norm,
            watched.backwards,
            None if clipped is None else [clipped.total, clipped.limit],
            ended - self.ended,
            wait,
            evaluation,
            times[-1] if times else None,
            order,
        )
        watched.kept = kept
        watched.block.add(watched.steps, kept, row)
        watched.block.applied = self.run.count
        good = not isinstance(watched.norm, float) or math.isfinite(watched.norm)
        for _, value in losses:
            good = good and (not isinstance(value, float) or math.isfinite(value))
        if not good and self.finite:
            self.journal.flush()
        self.finite = good

    def _write_sample(self, watched: Watched) -> None:
        parameters = watched.parameters()
        assert watched.before is not None
        if not watched.named:
            self.journal.write("planned", **planned(sites.user_frames(12, 4)))
        if watched.named != len(parameters):
            watched.named = len(parameters)
            self._write_names(watched)
        each, whole = watched.before.changes()
        if len(watched.moved) != len(each):
            watched.moved = [False] * len(each)
        watched.still, watched.unsure = watched.before.still, watched.before.unsure
        watched.moved = [m or (u != 0 and i not in watched.unsure) for i, (m, u) in enumerate(zip(watched.moved, each))]
        # Each gradient as backward left it: clipping and a gradient scaler are taken out again.
        parts = None if watched.parts is None else iter([p.item() * watched.scale for p in watched.parts])
        norms = [None if p.grad is None or parts is None else next(parts) for p in parameters]
        before = watched.given if len(watched.given) == len(norms) else [False] * len(norms)
        watched.given = [b or n is not None for b, n in zip(before, norms)]
        self.journal.write(
            "sample",
            o=watched.index,
            i=watched.steps,
            g=norms,
            u=each,
            ur=whole,
            **gradients.weights(parameters),
            **gradients.moments(watched.optimizer, parameters),
        )
        if self.ranks:
            buffers = [b for m in self.modules.live_roots() for b in m.buffers()]
            p, b = gradients.checksum(parameters), gradients.checksum(buffers)
            self.journal.write("check", o=watched.index, i=watched.steps, p=p, b=b)

    def untouched(self) -> set[int]:
        """Parameters that none of the steps so far has changed."""
        unsure = {id(w.held[i]) for w in self.optimizers.values() for i in w.unsure}
        stood = {id(p) for w in self.optimizers.values() for p, moved in zip(w.parameters(), w.moved) if not moved}
        return stood - unsure

    def _write_names(self, watched: Watched) -> None:
        from .coverage import names

        parameters = watched.parameters()
        self.journal.write(
            "parameters",
            o=watched.index,
            names=names(self.modules, parameters),
            sizes=[p.numel() for p in parameters],
            dtypes=[str(p.dtype).replace("torch.", "") for p in parameters],
            devices=[str(p.device) for p in parameters],
        )

    def finish(self, reason: str) -> NoReturn:
        """End the process here: the bound of an experiment is exact, and no `except` of the program's can undo it."""
        self.run.report()
        self.journal.flush()
        self.journal.write("end", reason=reason)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:  # noqa: BLE001 - a closed or broken stream must not keep the run alive
                continue
        os._exit(0)


def call(method: weakref.WeakMethod[Any]) -> None:
    """Call a method of something that may be gone by now."""
    found = method()
    if found is not None:
        found()


def number(value: Any) -> float | None:
    """A setting as a number, where it is one."""
    if type(value) is float:
        return value
    return None if value is None or isinstance(value, (tuple, list)) else float(value)

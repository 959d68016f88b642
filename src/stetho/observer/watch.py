"""One process under observation: its optimizers and their steps."""

from __future__ import annotations

import atexit
import functools
import os
import time
import weakref
from _thread import get_ident
from math import isfinite
from typing import TYPE_CHECKING, Any

import torch

from . import guard, sites
from .change import Run
from .guard import anywhere, guarded
from .late.ring import Ring
from .look.trace import Tracer
from .patches import Patches
from .process import Process
from .record import samples
from .record.steps import Block, number
from .replay.keeper import Replay
from .schedule import sampled
from .seen import gradients
from .seen.backward import Backwards
from .seen.beginnings import Beginnings
from .seen.data import Data
from .seen.dropping import Dropping
from .seen.evaluations import Evaluations
from .seen.functions import Functions
from .seen.history import History
from .seen.manual import Manual
from .seen.modules import Modules
from .seen.noise import Noise
from .seen.objectives import Objectives
from .seen.own_gradients import OwnGradients
from .seen.procedure import Procedure
from .seen.reach import Reach
from .seen.resuming import Resuming
from .seen.scaling import Scaling
from .seen.seeding import Seeding
from .seen.sources import Sources
from .seen.unstepped import Unstepped
from .seen.workers import Workers
from .twin import asked
from .unseen import unrecorded
from .watched import Watched

if TYPE_CHECKING:
    from .record.journal import Journal

now = time.perf_counter
# Optimizers that may each have a model of their own; a program that makes one for every inner loop has shown enough.
MODELS = 64


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
        self.step = 0
        # Runs that are compared with each other are seeded.
        self.seeded = plan.get("seed") is not None
        self.bound: int | None = plan.get("steps") or None
        self.ended = now()
        self.process = Process(self)
        self.ranks = self.process.world > 1
        self.finite = True
        # While a change makes a step of its own, which is none of the program's.
        self.aside = False
        self.run = Run(self)
        self.backwards = Backwards(self)
        self.own_gradients = OwnGradients(self)
        self.procedure = Procedure(self)
        self.scaling, self.seeding, self.resuming = Scaling(self), Seeding(self), Resuming(self)
        self.sources = Sources(self)
        self.modules, self.reach = Modules(self), Reach(self)
        self.data, self.workers = Data(self), Workers(self)
        self.tracer = Tracer(self)
        self.objectives, self.evaluations = Objectives(self), Evaluations(self)
        self.replay = Replay(self)
        self.manual, self.unstepped = Manual(self), Unstepped(self)
        self.beginnings = Beginnings(self)
        self.ring = Ring(self)
        self.history = History(self)
        self.functions, self.dropping, self.noise = Functions(self), Dropping(self), Noise(self)

    def install(self) -> None:
        """Seed torch if the plan says so, patch it, then load the experiment's change, which may patch on top."""
        if self.seeded:
            torch.manual_seed(int(self.plan["seed"]))
        self._patch_optimizer()
        following: list[Any] = [self.backwards, self.own_gradients, self.procedure, self.scaling, self.seeding]
        following += [self.resuming, self.sources]
        for part in (*following, self.modules, self.data, self.workers, self.tracer, self.objectives, self.beginnings):
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
        self.run.meetings.over()
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
        self.unstepped.ends()
        self.replay.unfinished()
        self.data.write_batch()
        self.evaluations.over()
        if self.seeded:
            self.process.sources()
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
        self.workers.open = []
        self.gone = []
        for watched in self.optimizers.values():
            watched.block = Block(self.journal, watched.index)

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
        holding: list[Any] = [
            self.backwards,
            self.replay,
            self.data,
            self.objectives,
            self.evaluations,
            self.modules,
            self.reach,
            self.sources,
            self.tracer,
            self.functions,
            self.noise,
        ]
        for part in (*holding, self.manual, self.run, *self.optimizers.values()):
            part.let_go()
        self.ring.kept.clear()
        self.scaling.scaled = self.procedure.clipped = None

    def hand_over(self) -> None:
        """Write the steps that were gathered."""
        gone, self.gone = self.gone, []
        for watched in [*gone, *self.optimizers.values()]:
            watched.block.write()
        self.modules.write_modes()
        self.workers.write()
        if self.seeded:
            self.process.data()

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

    @guarded
    def optimizer_made(self, optimizer: Any) -> None:
        """Record a new optimizer, its settings and its line; the close look begins with the first one."""
        guard.thread = guard.thread or get_ident()
        frames = sites.user_frames(4, 3)
        watched = Watched(self.made, optimizer, sites.places(frames), self)
        self.made += 1
        self.optimizers = {**self.optimizers, id(optimizer): watched}
        self.process.training()
        self.reach.remember_scope(watched, frames)
        self.journal.write(
            "optimizer",
            o=watched.index,
            name=type(optimizer).__name__,
            site=self.journal.site(watched.made_at),
            lr=[number(g.get("lr")) for g in optimizer.param_groups],
            momentum=number(optimizer.defaults.get("momentum")),
            # Groups may have their own beside the default, which then holds for nothing.
            decay=max(filter(None, (number(g.get("weight_decay")) for g in optimizer.param_groups)), default=0.0)
            if "weight_decay" in optimizer.defaults
            else None,
            settings={k: v for k, v in optimizer.defaults.items() if sites.is_plain(v)},
            groups=[sum(p.numel() for p in g["params"]) for g in optimizer.param_groups],
            fused=bool(optimizer.defaults.get("fused")),
        )
        if watched.index == 0:
            self.beginnings.over()
            self.tracer.look(0)
        elif watched.index < MODELS:
            # It may be for a model of its own, whose calls are followed from the first one on.
            self.modules.watch_closely(True)
        self.run.fire("optimizer", optimizer)

    def known(self, optimizer: Any) -> Watched:
        """What is remembered of an optimizer, also of one that was made past the patched constructor."""
        found = self.optimizers.get(id(optimizer))
        if found is None:
            self.optimizer_made(optimizer)
            found = self.optimizers[id(optimizer)]
        return found

    def step_begins(self, optimizer: Any, args: Any, kwargs: Any) -> Any:
        """Before any step; the thread that makes the first one is followed, whichever made the optimizer."""
        if guard.off:
            # Where the fault was inside the mode, the mode could not be taken off there.
            self.tracer.leave()
            self.run.meetings.clear()
            return None
        if self.aside:
            return None
        if not self.claims and self.claims.setdefault(None, get_ident()) == get_ident() != guard.thread:
            guard.thread = get_ident()
            self.tracer.elsewhere()
            self.optimizers = {key: w for key, w in self.optimizers.items() if key == id(optimizer)}
        return self.before_step(optimizer, args, kwargs)

    @guarded
    def before_step(self, optimizer: Any, args: Any, kwargs: Any) -> Any:
        """Measure the gradient that the step will use; with a closure it is made inside the step, so later."""
        watched = self.known(optimizer)
        watched.left_out = self.scaling.leaves_out(optimizer)
        if watched.left_out:
            return None
        if watched.steps == 0:
            self.sources.before_first_step(watched)
        self.procedure.mark("s")
        changed = self.run.before_step(optimizer, args, kwargs) if self.run.calls else None
        watched.close = sampled(watched.steps, len(watched.parameters()))
        watched.stepping = bool(kwargs and kwargs.get("closure") is not None) or (len(args) > 1 and args[1] is not None)
        watched.norm = None
        if not watched.stepping:
            watched.norm = norm = watched.norm_now(self.procedure.clipped)
            if type(norm) is float and not isfinite(norm):
                self.replay.gradient_bad(watched)
        if watched.close:
            with unrecorded():
                watched.before = gradients.Before(watched.parameters(), watched.still)
        return changed

    @guarded
    def after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """Write the step down, prepare for the next, and end the process at the experiment's bound."""
        if self.aside:
            return
        watched = self.known(optimizer)
        if watched.left_out:
            self.scaling.left_out(watched)
            return
        if watched.norm is None:
            watched.norm = watched.norm_now(self.procedure.clipped)
        self._gather(watched, now())
        if watched.before is not None:
            with unrecorded():
                samples.write(self, watched)
            watched.before = None
        self.noise.stepped(watched)
        if self.run.calls:
            self.run.after_step(optimizer)
        if self.seeded:
            self.run.generators.look(watched)
            if watched.steps == 0:
                self.process.sources()
        self.unstepped.on = False
        watched.leave_marker()
        self.history.step_ended(watched)
        watched.steps = steps = watched.steps + 1
        watched.cleared = watched.marker is None
        watched.backwards = 0
        watched.parts = watched.unclipped = None
        if steps > self.step:
            self.step = steps
        if self.ring.on:
            self.ring.step_ended(watched)
        self.replay.step_ended()
        self.data.step_ended()
        self.reach.step_ended(self.step)
        self.tracer.look(self.step)
        self.functions.step_ended(self.step)
        if self.bound and steps >= self.bound:
            self.process.finish("bound")
        if self.journal.due(time.monotonic()):
            self.journal.flush()
        # What the observer did just now is not the program's time.
        self.ended = now()

    def _gather(self, watched: Watched, ended: float) -> None:
        """Put the step into its block; a value that is no longer finite is written at once."""
        losses = self.backwards.taken()
        if watched.pending:
            losses, watched.pending = losses + watched.pending, []
        watched.stepping = False
        order = self.procedure.taken()
        if "f" not in order:
            order = self.modules.told_apart(order)
        if watched.scheduled:
            order, watched.scheduled = "l" + order, False
        evaluation, self.modules.evaluation = self.modules.evaluation, 0.0
        wait, self.data.waited = self.data.waited, 0.0
        clipped, self.procedure.clipped = self.procedure.clipped, None
        took, self.backwards.time = self.backwards.time, None
        if watched.steps < 3:
            watched.step_at = sites.here(3, 5)
            watched.block.at = self.journal.site(watched.step_at)
        # Gradients that no backward has made are the program's own, and nothing was added to those before.
        watched.kept = watched.steps > 0 and watched.backwards > 0 and not watched.cleared
        norm = watched.norm
        row = (
            losses,
            self.objectives.taken(losses),
            [number(g.get("lr")) for g in watched.optimizer.param_groups],
            norm,
            watched.backwards,
            None if clipped is None else [clipped.total, clipped.limit],
            ended - self.ended,
            wait,
            evaluation,
            took,
            order,
        )
        watched.block.add(watched.steps, watched.kept, row)
        if self.ranks:
            self.own_gradients.stepped(watched)
        good = type(norm) is not float or isfinite(norm)
        for _, value in losses:
            good = good and (type(value) is not float or isfinite(value))
        if not good and self.finite:
            self.journal.flush()
        self.finite = good


def call(method: weakref.WeakMethod[Any]) -> None:
    """Call a method of something that may be gone by now."""
    found = method()
    if found is not None:
        found()

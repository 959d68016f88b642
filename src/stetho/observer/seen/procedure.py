"""The order of things: clearing, backward, clipping, stepping, scheduling."""

from __future__ import annotations

import functools
import weakref
from collections import deque
from types import GeneratorType
from typing import TYPE_CHECKING, Any

import torch

from .. import guard, sites
from ..guard import guarded
from ..unseen import is_compiling, unrecorded
from .gradients import norms

if TYPE_CHECKING:
    from ..patches import Patches
    from ..watch import Watch

# Letters kept of one step, the last ones: an inner loop of a thousand rounds says no more than one of a hundred.
LETTERS = 64
# Clearings between backward and step are told of the first steps only, and so many of them.
EARLY, CLEARINGS = 3, 24
# Where schedulers keep how many of their steps they are made for, or how many a cycle has.
LENGTHS = ("total_steps", "T_max", "total_iters", "T_0", "total_size")


class Clipped:
    """One clipping of gradients: their norm before it, its limit, and whether it covered all of an optimizer's."""

    def __init__(self, total: Any, limit: float, whole: bool) -> None:
        self.total = total
        self.limit = limit
        self.whole = whole

    @property
    def factor(self) -> float:
        """By how much the gradients were larger before."""
        # torch divides by a little more than the norm, so that it never divides by zero.
        total = float(self.total) + 1e-6
        return total / self.limit if total > self.limit > 0 else 1.0


class Procedure:
    """Patches the entry points of the training procedure; each call leaves one letter."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.order: deque[str] = deque(maxlen=LETTERS)
        self.last = ""
        self.clipped: Clipped | None = None
        self.schedulers = self.clearings = self.clips = 0
        self.made: list[weakref.ref[Any]] = []
        self.uncalled: dict[int, int] = {}
        """The numbers of the schedulers that were not called yet."""
        self.making = False

    def mark(self, letter: str) -> None:
        """Add a letter to the order of this step; runs of one letter are written once."""
        if letter != self.last:
            self.last = letter
            self.order.append(letter)

    def taken(self) -> str:
        """The order since the last step."""
        order = "".join(self.order)
        self.order.clear()
        self.last = ""
        return order

    def install(self, patches: Patches) -> None:
        """Patch every entry point."""
        self._patch_clearing(patches)
        self._patch_clipping(patches)
        self._patch_schedulers(patches)

    def _patch_clearing(self, patches: Patches) -> None:
        for owner in (torch.optim.Optimizer, torch.nn.Module):
            patches.replace(owner, "zero_grad", self.marking(owner.zero_grad, "z"))

    def marking(self, original: Any, letter: str) -> Any:
        """The function, with a letter left before each call."""
        mine = self

        @functools.wraps(original)
        def marked(*args: Any, **kwargs: Any) -> Any:
            if not guard.away() and not is_compiling():
                mine.mark(letter)
                if letter == "z":
                    mine.clearing(args)
            return original(*args, **kwargs)

        return marked

    @guarded
    def clearing(self, args: Any) -> None:
        """Gradients are cleared: where, if a backward of the first steps has made them and no step has used them."""
        known = self.watch.optimizers.get(id(args[0])) if args else None
        if known is not None and not known.stepping:
            known.pending = []
        early = [w for w in self.watch.optimizers.values() if w.backwards and w.steps < EARLY and not w.stepping]
        if early and self.clearings < CLEARINGS:
            self.clearings += 1
            site = self.watch.journal.site(sites.here(3, 4))
            self.watch.journal.write("clearing", site=site, o=[w.index for w in early])

    def _patch_clipping(self, patches: Patches) -> None:
        from torch.nn.utils import clip_grad

        original = clip_grad.clip_grad_norm_
        mine = self

        @functools.wraps(original)
        def clip_grad_norm_(parameters: Any, max_norm: Any, *args: Any, **kwargs: Any) -> Any:
            if guard.away() or is_compiling():
                return original(parameters, max_norm, *args, **kwargs)
            parameters, given = taken(parameters)
            limit = mine.limit(max_norm) if mine.watch.run.calls else max_norm
            whole = mine.before_clipping(given, kwargs.get("norm_type", args[0] if args else 2.0))
            total = original(parameters, limit, *args, **kwargs)
            mine.clipping(total, limit, bool(whole))
            return total

        patches.replace(clip_grad, "clip_grad_norm_", clip_grad_norm_)
        patches.replace(torch.nn.utils, "clip_grad_norm_", clip_grad_norm_)
        by_value = clip_grad.clip_grad_value_

        @functools.wraps(by_value)
        def clip_grad_value_(parameters: Any, *args: Any, **kwargs: Any) -> Any:
            if guard.away() or is_compiling():
                return by_value(parameters, *args, **kwargs)
            parameters, given = taken(parameters)
            mine.before_clipping(given, None)
            mine.mark("c")
            return by_value(parameters, *args, **kwargs)

        patches.replace(torch.nn.utils, "clip_grad_value_", clip_grad_value_)

    def limit(self, asked: Any) -> Any:
        """The limit that an experiment wants, or the one that was asked for."""
        changed = self._limit(asked)
        return asked if changed is None else changed

    @guarded
    def _limit(self, asked: Any) -> Any:
        return self.watch.run.passed("clip", asked)

    @guarded
    def before_clipping(self, tensors: list[Any], norm_type: Any) -> bool:
        """Whether clipping computes the norm of all gradients by itself; if not, they are measured before it."""
        held = list(self.watch.optimizers.values())
        usual = norm_type is not None and float(norm_type) == 2.0 and self.clipped is None
        if usual and len(held) == 1 and len(tensors) >= len(held[0].parameters()):
            return True
        given = {id(p) for p in tensors}
        with unrecorded():
            for watched in held:
                if watched.unclipped is None and any(id(p) in given for p in watched.parameters()):
                    watched.unclipped = norms([p.grad for p in watched.held if p.grad is not None])
        return False

    @guarded
    def clipping(self, total: Any, limit: Any, whole: bool) -> None:
        """Keep the norm before clipping and the limit, for the record of the step that follows."""
        self.mark("c")
        self.clips += 1
        if self.clips <= EARLY:
            self.watch.journal.write("clip", site=self.watch.journal.site(sites.here(3, 4)))
        if self.clipped is None or not self.clipped.whole:
            value = total.item() if isinstance(total, torch.Tensor) and total.device.type == "cpu" else total
            self.clipped = Clipped(value, float(limit), whole)

    def backward_follows(self) -> None:
        """What was clipped before a backward is not what the step will use."""
        if self.clipped is not None:
            self.clipped.whole = False
            for watched in self.watch.optimizers.values():
                watched.unclipped = None

    def _patch_schedulers(self, patches: Patches) -> None:
        from torch.optim import lr_scheduler

        base = getattr(lr_scheduler, "LRScheduler", None) or lr_scheduler._LRScheduler
        patches.replace(base, "__init__", self._scheduling(base.__init__))
        for kind in vars(lr_scheduler).values():
            if isinstance(kind, type) and issubclass(kind, base) and "step" in vars(kind):
                patches.replace(kind, "step", self._stepping(vars(kind)["step"]))
        plateau = lr_scheduler.ReduceLROnPlateau
        # This one scheduler does not call the constructor it inherits.
        if "__init__" in vars(plateau):
            patches.replace(plateau, "__init__", self._scheduling(plateau.__init__))

    def _stepping(self, original: Any) -> Any:
        """A scheduler's step with its letter; the step that a constructor takes is not the program's."""
        mine = self

        @functools.wraps(original)
        def step(scheduler: Any, *args: Any, **kwargs: Any) -> Any:
            if not guard.away() and not mine.making and not is_compiling():
                if id(scheduler) in mine.uncalled:
                    mine.first_called(scheduler)
                known = mine.watch.optimizers.get(id(getattr(scheduler, "optimizer", None)))
                if known is not None and len(mine.watch.optimizers) > 1:
                    # Whose rate it is matters more than whose step comes next.
                    known.scheduled = True
                else:
                    mine.mark("l")
            return original(scheduler, *args, **kwargs)

        return step

    def _scheduling(self, original: Any) -> Any:
        """A scheduler's constructor, followed by its record."""
        mine = self

        @functools.wraps(original)
        def made(scheduler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> None:
            mine.making = True
            try:
                original(scheduler, optimizer, *args, **kwargs)
            finally:
                mine.making = False
            mine.scheduler_made(scheduler, optimizer)

        return made

    @guarded
    def scheduler_made(self, scheduler: Any, optimizer: Any) -> None:
        """Record a scheduler and how many of its steps it is made for, where it says so."""
        known = self.watch.optimizers.get(id(optimizer))
        horizon = next(
            (int(v) for v in (getattr(scheduler, n, None) for n in LENGTHS) if v),
            None,
        )
        self.watch.journal.write(
            "scheduler",
            s=self.schedulers,
            name=type(scheduler).__name__,
            o=None if known is None else known.index,
            site=self.watch.journal.site(sites.here(3, 4)),
            horizon=horizon,
            top=highest_rate(scheduler, optimizer),
        )
        self.uncalled[id(scheduler)] = self.schedulers
        self.schedulers += 1
        self.made.append(weakref.ref(scheduler))

    @guarded
    def first_called(self, scheduler: Any) -> None:
        """Record the line that calls a scheduler, once."""
        number = self.uncalled.pop(id(scheduler))
        self.watch.journal.write("scheduled", s=number, site=self.watch.journal.site(sites.here(3, 4)))

    def live_schedulers(self) -> list[Any]:
        """The schedulers that still exist, in the order of their making."""
        return [s for s in (r() for r in self.made) if s is not None]


def highest_rate(scheduler: Any, optimizer: Any) -> float | None:
    """The highest rate that a schedule is to reach, as it or the groups name it."""
    named = [group.get(key) for group in optimizer.param_groups[:1] for key in ("initial_lr", "max_lr", "lr")]
    named += list(getattr(scheduler, "max_lrs", None) or ())[:1]
    known = [float(rate) for rate in named if isinstance(rate, (int, float))]
    return max(known, default=None)


def taken(parameters: Any) -> tuple[Any, list[Any]]:
    """What to hand on, of the kind that was given, and the tensors in it; an iterator can be gone through once."""
    if isinstance(parameters, torch.Tensor):
        return parameters, [parameters]
    given = list(parameters)
    if isinstance(parameters, GeneratorType):
        return (p for p in given), given
    return parameters if isinstance(parameters, (list, tuple)) else given, given

"""One process under observation: optimizers, their steps, and what backward is called on."""

from __future__ import annotations

import functools
import os
import sys
import time
from typing import TYPE_CHECKING, Any, NoReturn

import torch

from . import sites
from .change import Run
from .guard import guarded
from .modules import Modules
from .objectives import Objectives
from .trace import Tracer

if TYPE_CHECKING:
    from .journal import Journal
    from .sites import Place

# Parameter changes are measured on these steps: all early ones, then every k-th, a function of the step alone.
DENSE, EVERY = 10, 25
# Elements copied for that measurement; beyond it, only the first parameters up to this size are copied.
COPIED = 20_000_000


def sampled(step: int) -> bool:
    """Whether the costlier facts are recorded at this step."""
    return step < DENSE or step % EVERY == 0


class Watched:
    """What is remembered of one optimizer between its steps."""

    def __init__(self, index: int, optimizer: Any, made_at: list[Place]) -> None:
        self.index = index
        self.optimizer = optimizer
        self.made_at = made_at
        self.steps = 0
        self.cleared = True
        self.probes: list[Any] = []
        self.norm: float | None = None
        self.before: Any = None  # from a sampled step's start to its end: pairs of parameter and copy
        self.backwards = 0

    def parameters(self) -> list[Any]:
        """All parameters it holds now; groups may be added later."""
        return [p for group in self.optimizer.param_groups for p in group["params"]]


def gradients_left(watched: Watched) -> bool:
    """Whether the gradients that the last step used are still there."""
    return any(p.grad is not None and bool(p.grad.detach().any()) for p in watched.probes)


class Watch:
    """Attaches to torch and writes down what happens at each step."""

    def __init__(self, plan: dict[str, Any], journal: Journal) -> None:
        self.plan = plan
        self.journal = journal
        self.optimizers: dict[int, Watched] = {}
        self.pending: list[tuple[int, Any]] = []
        self.step = 0
        self.clip: tuple[float, float] | None = None
        self.run = Run(self)
        self.modules = Modules(self)
        self.tracer = Tracer(self)
        self.objectives = Objectives(self)

    def install(self) -> None:
        """Seed torch, patch it, then load the experiment's change, which may patch on top."""
        torch.manual_seed(int(self.plan["seed"]))
        self._patch_optimizer()
        self._patch_backward()
        self._patch_clipping()
        self.modules.install()
        self.tracer.install()
        self.objectives.install()
        self.run.load(self.plan.get("changes", []))

    def _patch_optimizer(self) -> None:
        from torch.optim import optimizer as module

        original = module.Optimizer.__init__
        watch = self

        @functools.wraps(original)
        def made(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            original(optimizer, *args, **kwargs)
            watch.optimizer_made(optimizer)

        module.Optimizer.__init__ = made
        module.register_optimizer_step_pre_hook(self.before_step)
        module.register_optimizer_step_post_hook(lambda o, a, k: self.after_step(o))

    def _patch_backward(self) -> None:
        original = torch.autograd.backward
        watch = self

        @functools.wraps(original)
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            watch.before_backward(tensors)
            return original(tensors, *args, **kwargs)

        torch.autograd.backward = backward

    def _patch_clipping(self) -> None:
        from torch.nn.utils import clip_grad

        original = clip_grad.clip_grad_norm_
        watch = self

        @functools.wraps(original)
        def clip_grad_norm_(parameters: Any, max_norm: Any, *args: Any, **kwargs: Any) -> Any:
            limit = watch.run.clip_limit(max_norm)
            total = original(parameters, limit, *args, **kwargs)
            watch.clipped(total, limit)
            return total

        clip_grad.clip_grad_norm_ = torch.nn.utils.clip_grad_norm_ = clip_grad_norm_

    @guarded
    def clipped(self, total: Any, max_norm: Any) -> None:
        """Keep the norm before clipping and the limit, for the record of the step that follows."""
        self.clip = (float(total), float(max_norm))

    @guarded
    def optimizer_made(self, optimizer: Any) -> None:
        """Record a new optimizer, its settings and its line; the close look begins with the first one."""
        frames = sites.user_frames(4, 3)
        watched = Watched(len(self.optimizers), optimizer, sites.places(frames))
        self.optimizers[id(optimizer)] = watched
        self.modules.remember_scope(watched, frames)
        self.journal.write(
            "optimizer",
            o=watched.index,
            name=type(optimizer).__name__,
            site=self.journal.site(watched.made_at),
            lr=[_number(g.get("lr")) for g in optimizer.param_groups],
            momentum=_number(optimizer.defaults.get("momentum")),
            decay=_number(optimizer.defaults.get("weight_decay")),
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
    def before_backward(self, tensors: Any) -> None:
        """See whether gradients were cleared, and keep the loss, which the next step writes."""
        with torch._C.DisableTorchFunction(), torch.no_grad():
            for watched in self.optimizers.values():
                watched.backwards += 1
                if not watched.cleared and not gradients_left(watched):
                    watched.cleared = True
            loss = tensors if isinstance(tensors, torch.Tensor) else tensors[0] if len(tensors) == 1 else None
            site = self.journal.site(sites.here(3))
            if isinstance(loss, torch.Tensor) and loss.numel() == 1:
                self.pending.append((site, loss.detach()))
            if self.tracer.looking and isinstance(loss, torch.Tensor):
                self.tracer.walk(loss)
            if not self.optimizers:
                self.journal.write("backward", site=site)
            self.run.before_backward()

    @guarded
    def before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """Measure the gradient that the step will use; with a closure it is made inside the step, so later."""
        with torch._C.DisableTorchFunction(), torch.no_grad():
            watched = self.known(optimizer)
            self.run.before_step(optimizer)
            closure = kwargs.get("closure", args[1] if len(args) > 1 else None)
            watched.norm = None if closure is not None else gradient_norm(watched)
            if sampled(watched.steps):
                watched.before = copies(watched)

    @guarded
    def after_step(self, optimizer: Any) -> None:
        """Write the step down, prepare for the next, and end the process at the experiment's bound."""
        with torch._C.DisableTorchFunction(), torch.no_grad():
            watched = self.known(optimizer)
            if watched.norm is None:
                watched.norm = gradient_norm(watched)
            self._write_step(watched)
            self.run.after_step(optimizer)
            watched.steps += 1
            watched.cleared = False
            watched.backwards = 0
            watched.probes = probes(watched)
            if watched.index == 0 or watched.steps > self.step:
                self.step = max(self.step, watched.steps)
            self.modules.step_ended(self.step)
            self.tracer.look(self.step)
            bound = self.plan.get("steps")
            if bound and watched.steps >= bound:
                self.finish("bound")

    def _write_step(self, watched: Watched) -> None:
        losses = [(site, float(value)) for site, value in self.pending]
        self.pending = []
        step_at = self.journal.site(sites.here(3, 5)) if watched.steps < 3 else None
        fields: dict[str, Any] = {
            "o": watched.index,
            "i": watched.steps,
            "loss": losses,
            "lr": [_number(g.get("lr")) for g in watched.optimizer.param_groups],
            "g": watched.norm,
            "kept": watched.steps > 0 and not watched.cleared,
            "bw": watched.backwards,
            "t": round(time.monotonic() - self.journal.started, 4),
        }
        if step_at is not None:
            fields["at"] = step_at
        if self.clip is not None:
            fields["clip"] = self.clip
            self.clip = None
        if watched.before is not None:
            fields["u"] = relative_change(watched)
            watched.before = None
        if self.run.count:
            fields["applied"] = self.run.count
        self.journal.write("step", **fields)

    def finish(self, reason: str) -> NoReturn:
        """End the process here: the bound of an experiment is exact, and no `except` of the program's can undo it."""
        self.run.report()
        self.journal.write("end", reason=reason)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:  # noqa: BLE001 - a closed or broken stream must not keep the run alive
                continue
        os._exit(0)


def _number(value: Any) -> float | None:
    """A setting as a number, where it is one."""
    return None if value is None or isinstance(value, (tuple, list)) else float(value)


def dense_gradients(watched: Watched) -> list[Any]:
    return [p.grad.detach() for p in watched.parameters() if p.grad is not None and not p.grad.is_sparse]


def gradient_norm(watched: Watched) -> float | None:
    """The global norm of the gradients that a step uses."""
    grads = dense_gradients(watched)
    if not grads:
        sparse = any(p.grad is not None for p in watched.parameters())
        return None if sparse else 0.0
    return float(torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g.float()) for g in grads])))


def probes(watched: Watched, wanted: int = 3) -> list[Any]:
    """A few small parameters with a gradient that is not zero, by which a missing reset can be told cheaply."""
    small = sorted((p for p in watched.parameters() if p.grad is not None), key=lambda p: p.numel())
    found: list[Any] = []
    for parameter in small[: wanted * 4]:
        if not parameter.grad.is_sparse and bool(parameter.grad.detach().any()):
            found.append(parameter)
            if len(found) == wanted:
                break
    return found


def copies(watched: Watched) -> list[tuple[Any, Any]]:
    """Parameters beside copies of them, within the limit, to measure what the step changes."""
    chosen: list[tuple[Any, Any]] = []
    size = 0
    for parameter in watched.parameters():
        size += parameter.numel()
        if size > COPIED and chosen:
            break
        chosen.append((parameter, parameter.detach().clone()))
    return chosen


def relative_change(watched: Watched) -> float | None:
    """Norm of the real parameter change over the norm of the parameters."""
    change = sum(float((p.detach() - old).float().pow(2).sum()) for p, old in watched.before)
    size = sum(float(old.float().pow(2).sum()) for _, old in watched.before)
    return (change / size) ** 0.5 if size > 0 else None

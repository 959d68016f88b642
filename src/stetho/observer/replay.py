"""The step under way, kept so that it can be run again when its numbers stop being finite.

What is kept are references: each call of a whole model with its arguments and the state of the random generator,
and each operation after it up to backward. The replay runs in a forked twin of the process, where batch-norm
buffers, gradients, random numbers and the program's own counters may change as they like.
"""

from __future__ import annotations

import functools
import math
import time
import weakref
from typing import TYPE_CHECKING, Any

import torch

from . import twin
from .coverage import names
from .gradients import local
from .graph import leaves_of, node_of
from .tensors import tensors_in
from .unseen import uncovered

if TYPE_CHECKING:
    from .watch import Watch
    from .watched import Watched

# Bytes of tensors that may be kept alive for one step beyond what the program itself keeps.
BUDGET = 256 * 1024 * 1024
# Seconds that the program waits for the twin, once.
PATIENCE = 120.0
# Calls of models without gradients that are kept of one step, and the bytes that one of them may have made.
IDLE, SMALL = 4, 16 * 1024 * 1024
# Calls and operations kept of one step, and operations whose graph is kept with them.
MOST, RECENT = 20_000, 64
# Times that a process is replayed; a run that stays non-finite has told all it can.
TIMES = 2


# Since 2.4 the questions about autocast name the device.
DEVICES = hasattr(torch, "get_autocast_dtype")
autocasting: Any = functools.partial(torch.is_autocast_enabled, "cpu") if DEVICES else torch.is_autocast_cpu_enabled


class Call:
    """One call of a whole model."""

    __slots__ = ("amp", "args", "at", "grad", "kwargs", "module", "out", "random", "settled", "versions")

    def __init__(self, module: Any, args: Any, kwargs: Any, amp: Any, at: list[Any], random: Any) -> None:
        self.module = module
        self.grad = torch.is_grad_enabled()
        self.args = args
        self.kwargs = kwargs
        self.random = random
        self.versions = versions(args, kwargs)
        self.amp = amp
        self.at = at
        self.out: Any = None
        self.settled = False


class Operation:
    """One operation outside the models that took part in the loss."""

    __slots__ = ("amp", "args", "at", "function", "grad", "kwargs", "out", "settled")

    def __init__(self, function: Any, args: Any, kwargs: Any, out: Any, at: int, amp: Any) -> None:
        self.function = function
        self.grad = torch.is_grad_enabled()
        self.args = args
        self.kwargs = kwargs
        self.out = out
        self.at = at
        self.amp = amp
        self.settled = False


class Backward:
    """The end of one forward pass: what backward is called on."""

    def __init__(self, loss: Any, value: float) -> None:
        self.loss = loss
        self.value = value
        self.settled = False


class Past:
    """A tensor of an earlier pass: its value without the graph, and the tensor itself while the program has it."""

    __slots__ = ("reference", "value")

    def __init__(self, tensor: Any) -> None:
        self.reference = weakref.ref(tensor)
        self.value = tensor.detach()


class Replay:
    """Keeps the step under way and, when it goes wrong, has a twin run it again."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.on = True
        self.kept: list[Call | Operation | Backward] = []
        self.size = 0
        self.too_large = False
        self.left = TIMES
        self.told = -1
        self.open: Call | None = None
        self.draws = False
        self.mark = 0
        # The last loss that was trained on; its graph, without the values, tells what the step depended on.
        self.previous: Any = None
        self.past: dict[int, Past] = {}
        # Library losses and operations since graphs were last let go of, and whether this step alone was too long.
        self.losses = self.recent = 0
        self.pausing = False

    def entering(self, module: Any, args: Any, kwargs: Any, at: list[Any]) -> None:
        """A model is called for training."""
        if not self.on:
            return
        if self.kept:
            self.settle()
        # Whether models draw random numbers is seen on the steps that are looked at; those that do not need no state.
        random = torch.default_generator.get_state() if self.draws or self.watch.tracer.looking else None
        self.open = Call(module, args, kwargs, casting(), at, random)
        if self.watch.tracer.looking:
            self._look(self.open)
        self.kept.append(self.open)

    def entering_idle(self, module: Any, args: Any, kwargs: Any, at: list[Any]) -> None:
        """A model is called without gradients: it may make a target, or be part of an evaluation of any length."""
        calls = [e for e in self.kept if isinstance(e, Call) and not e.grad]
        if len(calls) >= IDLE:
            self.kept.remove(calls[0])
        self.entering(module, args, kwargs, at)

    def settle(self) -> None:
        """Another pass begins in the step under way: let go of the graphs of those before it.

        A program that evaluates with gradients switched on, or acts many times before it learns, throws them away.
        """
        from .rerun import everything_in

        for entry in reversed(self.kept):
            if entry.settled:
                break
            entry.settled = True
            if isinstance(entry, Backward):
                entry.loss = self.without_graph(entry.loss)
                continue
            entry.args, entry.kwargs = self.without_graph(entry.args), self.without_graph(entry.kwargs)
            made = entry.out
            alone = isinstance(made, torch.Tensor)
            entry.out = self.without_graph(made if alone else list(everything_in(made)))
            if isinstance(entry, Call):
                entry.versions = [(t, v) for t, v in entry.versions if node_of(t) is None]
        self.losses = self.recent = 0
        if self.size > BUDGET or len(self.kept) > MOST:
            # An evaluation, more likely than a step: what comes after the next step may be kept again.
            self._drop()
            self.pausing = True

    def loss_comes(self) -> None:
        """A library loss was computed: one after the other without a step between them may be an evaluation, too."""
        if self.losses:
            self.settle()
        self.losses += 1

    def without_graph(self, value: Any) -> Any:
        """The same with tensors that carry a graph replaced; each of them always by the same one."""
        if isinstance(value, torch.Tensor):
            if node_of(value) is None:
                return value
            known = self.past.get(id(value))
            if known is None or known.reference() is not value:
                known = self.past[id(value)] = Past(value)
                self.size += value.numel() * value.element_size()
            return known
        if type(value) in (tuple, list):
            return type(value)([self.without_graph(v) for v in value])
        if type(value) is dict:
            return {k: self.without_graph(v) for k, v in value.items()}
        return value

    def leaving(self, module: Any, output: Any) -> None:
        """The model has answered."""
        call, self.open = self.open, None
        if call is None or call.module is not module:
            return
        call.out = output
        if not call.grad and sum(t.numel() * t.element_size() for t in tensors_in(output)) > SMALL:
            self.kept.remove(call)
        elif self.watch.tracer.looking:
            self._count(output)
            before = call.random
            if not self.draws and before is not None and not torch.equal(before, torch.default_generator.get_state()):
                self.draws = True

    def operation(self, function: Any, args: Any, kwargs: Any, out: Any, depth: int) -> int:
        """An operation outside the models; the number of its call site, so many frames up."""
        site = self.watch.journal.here(depth)
        if not self.on or self.watch.modules.depth:
            return site
        last = self.kept[-1] if self.kept else None
        # A library loss is seen twice where the mode is on: by its wrapper and by the mode.
        if not (isinstance(last, Operation) and last.out is out):
            if self.watch.tracer.keeping:
                self._count(out)
            self.kept.append(Operation(function, args, kwargs, out, site, casting()))
            self.recent += 1
            if self.recent > RECENT:
                self.settle()
        return site

    def _look(self, call: Call) -> None:
        """On a step that is looked at: how much is kept, and whether operations made the input."""
        for tensor, _ in call.versions:
            self.size += tensor.numel() * tensor.element_size()
            if tensor.device.type != "cpu":
                # There is no replay beside an accelerator, and no memory to spare on it.
                self.on = False
                self.let_go()
        if self.size > BUDGET:
            self._drop()
        self.watch.tracer.input_comes(call.versions)

    def _count(self, value: Any) -> None:
        """Add to what is kept; beyond the budget nothing of this step is."""
        if isinstance(value, torch.Tensor):
            self.size += value.numel() * value.element_size()
        else:
            for tensor in tensors_in(value):
                self.size += tensor.numel() * tensor.element_size()
        if self.size > BUDGET:
            self._drop()

    def _drop(self) -> None:
        """Keep nothing of this step and the next ones: what they work on would take too much memory."""
        self.too_large = True
        self.on = False
        self.kept = []

    def backward(self, loss: Any, value: Any) -> None:
        """Backward is about to begin; if the loss is not finite, find out now where it went wrong."""
        if self.on:
            self.kept.append(Backward(loss, value if isinstance(value, float) else 0.0))
        if isinstance(value, float) and not math.isfinite(value):
            self.localise("the loss", self.watch.backwards.step_of(loss))

    def gradient_bad(self, watched: Watched) -> None:
        """A step is about to use gradients that are not finite."""
        self.localise("a gradient", watched.steps)

    def unfinished(self) -> None:
        """The program ends: with a step begun, if it looks at its loss and gives up, or with weights just spoiled."""
        if self.told < 0:
            self.spoiled_last()
        if self.kept and isinstance(self.kept[-1], Backward):
            return
        for entry in reversed(self.kept):
            value = entry.out if isinstance(entry, (Operation, Call)) else None
            if isinstance(value, torch.Tensor) and value.numel() == 1 and value.requires_grad:
                loss = value.item() if value.device.type == "cpu" else 0.0
                if not math.isfinite(loss):
                    self.backward(value, loss)
                return

    def spoiled_last(self) -> None:
        """Record the last step of an optimizer when it left parameters that are not finite and nothing came after."""
        for watched in self.watch.optimizers.values():
            last = [p for p in watched.parameters() if p.requires_grad and p.device.type == "cpu"]
            bad = [p for p in last if not bool(torch.isfinite(local(p).detach()).all())]
            if bad and watched.steps and all(self.used_before(p) for p in bad):
                self.told = watched.steps - 1
                name = names(self.watch.modules, bad[:1])[0]
                body = {**nothing(), "phase": "optimizer", "op": type(watched.optimizer).__name__.lower()}
                body.update(frames=watched.step_at or watched.made_at, module=name, replayed=False)
                self.write(watched.steps - 1, "a parameter", body)
                return

    def step_ended(self) -> None:
        """The step is over: let go of what was kept for it, or with several optimizers for the step before it."""
        for entry in reversed(self.kept):
            if isinstance(entry, Backward):
                self.previous = entry.loss.reference() if isinstance(entry.loss, Past) else entry.loss
                break
        if len(self.watch.optimizers) > 1:
            # One forward pass may serve two steps, as in a GAN; what backward was called on has been judged.
            self.kept = [e for e in self.kept[self.mark :] if not isinstance(e, Backward)]
            self.mark = len(self.kept)
        else:
            self.kept = []
        self.size = self.losses = self.recent = 0
        self.open = None
        if self.pausing:
            self.pausing, self.too_large, self.on = False, False, True
        if self.past:
            self.past = {key: p for key, p in self.past.items() if p.reference() is not None} if self.kept else {}

    def used_before(self, parameter: Any) -> bool:
        """Whether the loss of the last step that was made depends on a parameter."""
        return self.previous is not None and any(leaf is parameter for leaf in leaves_of(self.previous))

    def localise(self, what: str, step: int) -> None:
        """Replay the step in a twin and record what it finds, once for each time that numbers go wrong."""
        self.watch.ring.failed(step)
        if step - self.told <= 3 and self.told >= 0:
            self.told = step
            return
        self.told = step
        if self.left <= 0:
            return
        self.left -= 1
        reason = self.refusal()
        found = [{"why": reason}] if reason else self.ask_twin()
        for body in found:
            self.write(step, what, body)
        if self.left <= 0:
            self.on = False

    def write(self, step: int, what: str, body: dict[str, Any]) -> None:
        """Put one finding of the twin on record."""
        if "why" in body:
            self.watch.journal.write("unlocalised", step=step, what=what, why=body["why"])
            return
        frames = [tuple(f) for f in body.pop("frames")]
        self.watch.journal.write(
            "origin", step=step + body.pop("earlier", 0), site=self.watch.journal.site(frames), **body
        )

    def refusal(self) -> str | None:
        """Why this step cannot be replayed here, if it cannot."""
        if self.watch.tracer.compiled:
            return "the model is compiled; switch torch.compile off to see inside"
        if torch.cuda.is_initialized():
            return "a process that uses an accelerator cannot be forked"
        if self.too_large:
            return "what the step works on is larger than may be kept"
        if not self.kept:
            return "nothing of the step was kept"
        for entry in self.kept:
            if isinstance(entry, Call) and any(version(t) != v for t, v in entry.versions):
                return "the model changes its input in place"
            if isinstance(entry, Call) and sharded(entry.module):
                return "the model is spread over several processes"
            if isinstance(entry, Call) and any(t.is_shared() for t in entry.module.buffers() if t.device.type == "cpu"):
                return "the model lies in memory that it shares with other processes"
        return twin.refusal()

    def ask_twin(self) -> list[dict[str, Any]]:
        """Have a forked twin replay the step; it may take many times as long as the step did, but not for ever."""
        took = time.perf_counter() - self.watch.ended
        return twin.ask(self.replayed, min(PATIENCE, 10.0 + 50.0 * took))

    def replayed(self) -> list[dict[str, Any]]:
        """What the twin does."""
        from . import guard
        from .rerun import Rerun

        guard.off = True
        # The threads of the parent's pools do not exist here.
        torch.set_num_threads(1)
        with uncovered():
            return Rerun(self).findings()

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.kept, self.open, self.previous, self.past, self.size, self.mark = [], None, None, {}, 0, 0


def nothing() -> dict[str, Any]:
    """An origin of which nothing is known yet."""
    return {
        "op": "", "phase": "forward", "module": None, "frames": [], "low": None, "high": None, "zeros": 0, "size": 0,
        "divisor_zeros": 0, "graph": True, "replayed": True,
    }  # fmt: skip


def versions(args: Any, kwargs: Any) -> list[tuple[Any, int]]:
    """Tensors with their count of changes in place; the usual call, of one tensor, without a detour."""
    if len(args) == 1 and not kwargs and isinstance(args[0], torch.Tensor):
        return [(args[0], version(args[0]))]
    return [(t, version(t)) for t in tensors_in((args, kwargs))]


def version(tensor: Any) -> int:
    """How often a tensor was changed in place; one made for inference alone does not count that."""
    return -1 if tensor.is_inference() else int(tensor._version)


def casting() -> Any:
    """The state of autocast on this machine's processor: the type, or None when it is off."""
    if not autocasting():
        return None
    return torch.get_autocast_dtype("cpu") if DEVICES else torch.get_autocast_cpu_dtype()


def sharded(module: Any) -> bool:
    """Whether calling the module needs the other ranks beyond what its wrapper does."""
    kinds = {k.__name__ for m in module.modules() for k in type(m).__mro__}
    return "FullyShardedDataParallel" in kinds or "FSDPModule" in kinds or any("FSDP" in k for k in kinds)

"""The step under way, kept so that it can be run again when its numbers stop being finite.

What is kept are references: each call of a whole model with its arguments and the state of the random generator,
and each operation after it up to backward. The replay runs in a forked twin of the process, where batch-norm
buffers, gradients, random numbers and the program's own counters may change as they like.
"""

from __future__ import annotations

import functools
import json
import math
import os
import select
import signal
import time
from typing import TYPE_CHECKING, Any

import torch

from .coverage import names
from .gradients import local
from .graph import leaves_of
from .tensors import tensors_in

if TYPE_CHECKING:
    from .watch import Watch, Watched

# Bytes of tensors that may be kept alive for one step beyond what the program itself keeps.
BUDGET = 256 * 1024 * 1024
# Seconds that the program waits for the twin, once.
PATIENCE = 120.0
# Calls of models without gradients that are kept of one step.
IDLE = 4
# Times that a process is replayed; a run that stays non-finite has told all it can.
TIMES = 2


# Since 2.4 the questions about autocast name the device.
DEVICES = hasattr(torch, "get_autocast_dtype")
autocasting: Any = functools.partial(torch.is_autocast_enabled, "cpu") if DEVICES else torch.is_autocast_cpu_enabled


class Call:
    """One call of a whole model."""

    __slots__ = ("amp", "args", "at", "grad", "kwargs", "module", "out", "random", "versions")

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


class Operation:
    """One operation outside the models that took part in the loss."""

    __slots__ = ("amp", "args", "at", "function", "grad", "kwargs", "out")

    def __init__(self, function: Any, args: Any, kwargs: Any, out: Any, at: int, amp: Any) -> None:
        self.function = function
        self.grad = torch.is_grad_enabled()
        self.args = args
        self.kwargs = kwargs
        self.out = out
        self.at = at
        self.amp = amp


class Backward:
    """The end of one forward pass: what backward is called on."""

    def __init__(self, loss: Any, value: float) -> None:
        self.loss = loss
        self.value = value


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

    def entering(self, module: Any, args: Any, kwargs: Any, at: list[Any]) -> None:
        """A model is called for training."""
        if not self.on:
            return
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

    def leaving(self, module: Any, output: Any) -> None:
        """The model has answered."""
        call, self.open = self.open, None
        if call is None or call.module is not module:
            return
        call.out = output
        if self.watch.tracer.looking:
            self._count(output)
            if not self.draws and not torch.equal(call.random, torch.default_generator.get_state()):
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
        return site

    def _look(self, call: Call) -> None:
        """On a step that is looked at: how much is kept, and whether operations made the input."""
        for tensor, _ in call.versions:
            self.size += tensor.numel() * tensor.element_size()
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
            self.localise("the loss", self.watch.step_of(loss))

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
                self.previous = entry.loss
                break
        if len(self.watch.optimizers) > 1:
            # One forward pass may serve two steps, as in a GAN; what backward was called on has been judged.
            self.kept = [e for e in self.kept[self.mark :] if not isinstance(e, Backward)]
            self.mark = len(self.kept)
        else:
            self.kept = []
        self.size = 0
        self.open = None

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
        if not hasattr(os, "fork"):
            return "this system cannot fork a process"
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
        return None

    def ask_twin(self) -> list[dict[str, Any]]:
        """Fork, let the child replay the step, and read what it found; the program waits so long."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.close(reading)
                code = in_twin(self, writing)
            finally:
                os._exit(code)
        os.close(writing)
        try:
            text = read_all(reading, PATIENCE)
        finally:
            os.close(reading)
            if text_missing(child):
                os.kill(child, signal.SIGKILL)
            reap(child)
        try:
            found = json.loads(text)
        except ValueError:
            return [{"why": "the replay did not finish"}]
        return list(found)


def nothing() -> dict[str, Any]:
    """An origin of which nothing is known yet."""
    return {
        "op": "", "phase": "forward", "module": None, "frames": [], "low": None, "high": None, "zeros": 0, "size": 0,
        "divisor_zeros": 0, "graph": True, "replayed": True,
    }  # fmt: skip


def in_twin(replay: Replay, writing: int) -> int:
    """What the forked child does: be silent, replay, write the findings, vanish."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    from . import guard
    from .rerun import Rerun

    guard.off = True
    # The threads of the parent's pools do not exist here.
    torch.set_num_threads(1)
    signal.alarm(int(PATIENCE))
    try:
        found = Rerun(replay).findings()
    except Exception as error:  # noqa: BLE001 - whatever happens in the twin is the twin's
        found = [{"why": f"the replay failed: {type(error).__name__}: {error}"[:300]}]
    data = json.dumps(found, default=str).encode()
    while data:
        data = data[os.write(writing, data) :]
    os.close(writing)
    return 0


def read_all(descriptor: int, seconds: float) -> str:
    """Everything the child writes until it closes its end, or what there is when the time is up."""
    data, until = b"", time.monotonic() + seconds
    while True:
        left = until - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            return ""
        piece = os.read(descriptor, 65536)
        if not piece:
            return data.decode("utf-8", "replace")
        data += piece


def text_missing(child: int) -> bool:
    """Whether the child is still there although nothing more is expected of it."""
    try:
        return os.waitpid(child, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False


def reap(child: int) -> None:
    """Leave no dead child behind."""
    try:
        os.waitpid(child, 0)
    except ChildProcessError:
        return


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

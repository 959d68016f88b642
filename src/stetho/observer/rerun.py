"""The replay itself, in the twin: what was kept of the step runs once more, and its numbers must be the same again."""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING, Any

import torch

from .bundle import Bundle, Unwritable
from .gradient_origin import GradientOrigin
from .kept import Backward, Call, Operation, Past, everything_in
from .origin import Origin
from .tape import Tape, Writing
from .twin import unsealed

if TYPE_CHECKING:
    from .replay import Replay


class Rerun:
    """Runs what was kept once more, up to the loss or gradient that went wrong."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.watch = replay.watch
        self.tape = Tape(replay.watch.modules.made)
        self.origin = Origin(self.tape, replay)
        self.new: dict[int, Any] = {}  # from a tensor of the real step to the replay's

    def findings(self) -> list[dict[str, Any]]:
        """The origin of the first non-finite value, forward or backward."""
        mode = Writing(self.tape)
        torch.autograd.set_detect_anomaly(False)
        with torch.enable_grad(), self.tape.attached():
            for entry in self.replay.kept:
                if isinstance(entry, Backward):
                    found = self.judge(entry)
                    if found is not None:
                        return [found]
                    continue
                with mode, amp(entry.amp), torch.set_grad_enabled(entry.grad):
                    if isinstance(entry, Call):
                        self.call(entry)
                    else:
                        self.operate(entry)
        return [{"why": "the replay of the step gives finite numbers only"}]

    def call(self, entry: Call) -> None:
        """A model once more, with the random numbers it had."""
        if entry.random is not None:
            torch.set_rng_state(entry.random)
            self.tape.drawn(entry.random)
        module = entry.module
        if isinstance(module, torch.nn.parallel.DistributedDataParallel):
            # The wrapper would talk to the other ranks, which are not replaying.
            module = module.module
        self.pair(entry.out, self.tape.call(module, self.mapped(entry.args), self.mapped(entry.kwargs), entry.at))

    def operate(self, entry: Operation) -> None:
        """An operation once more, on the replay's values; one that no model had a part in keeps its own."""
        inputs = list(everything_in((entry.args, entry.kwargs)))
        leaves = any(isinstance(t, torch.Tensor) and t.requires_grad and t.is_leaf for t in inputs)
        if not leaves and not any(id(t) in self.new for t in inputs):
            return
        self.tape.at = self.watch.journal.frames(entry.at)
        try:
            self.pair(entry.out, entry.function(*self.mapped(entry.args), **self.mapped(entry.kwargs)))
        finally:
            self.tape.at = None

    def mapped(self, value: Any) -> Any:
        """Arguments with the replay's tensors in place of the real step's."""
        if isinstance(value, torch.Tensor):
            return self.new.get(id(value), value)
        if isinstance(value, Past):
            return self.new.get(id(value), value.value)
        if isinstance(value, tuple):
            made = [self.mapped(v) for v in value]
            return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
        if isinstance(value, list):
            return [self.mapped(v) for v in value]
        if type(value) is dict:
            return {k: self.mapped(v) for k, v in value.items()}
        return value

    def pair(self, old: Any, new: Any) -> None:
        """Remember which tensor of the replay stands for which of the real step."""
        for before, after in zip(everything_in(old), everything_in(new)):
            self.new[id(before)] = after
            live = before.reference() if isinstance(before, Past) else None
            if live is not None:
                self.new[id(live)] = after
            self.tape.alive += [before, after]

    def judge(self, entry: Backward) -> dict[str, Any] | None:
        """Where this loss, or its gradient, first went wrong; None when both are finite."""
        loss = self.new.get(id(entry.loss))
        if loss is None:
            return {"why": "what backward was called on could not be computed again"}
        value = float(loss.detach())
        same = value == entry.value or not (math.isfinite(value) or math.isfinite(entry.value))
        if not same and not math.isclose(value, entry.value, rel_tol=1e-3):
            return {"why": f"the replay gives a loss of {value:.6g} where the step had {entry.value:.6g}"}
        operations = len(self.tape.seen)
        found = GradientOrigin(self.origin).of(loss) if math.isfinite(value) else self.origin.of(loss)
        if found is not None and "why" not in found:
            self.write_down(loss, found, operations)
        return found

    def write_down(self, loss: Any, found: dict[str, Any], operations: int) -> None:
        """Keep the forward pass for `stetho repro`; what stands in the way is told with the origin."""
        try:
            with unsealed():
                Bundle(self.tape.leaves).write(self.watch.journal.directory, self.tape.seen[:operations], loss, found)
        except (Unwritable, OSError, RuntimeError, KeyError) as error:
            found["unwritten"] = str(error)[:200]


def amp(dtype: Any) -> Any:
    """Autocast as it was when the entry was kept."""
    return contextlib.nullcontext() if dtype is None else torch.autocast("cpu", dtype=dtype)

"""The replay itself, in the twin: what was kept of the step runs once more, and its numbers must be the same again."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import torch

from ..twin import unsealed
from .bundle import LARGEST, Bundle, Unwritable
from .gradient_origin import GradientOrigin
from .kept import Backward, Call, Operation, Past, everything_in
from .origin import Origin
from .tape import Tape, Writing

if TYPE_CHECKING:
    from .keeper import Replay


class Rerun:
    """Runs what was kept once more, up to the loss or gradient that went wrong."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.watch = replay.watch
        self.tape = Tape(replay.watch.modules.made)
        self.origin = Origin(self.tape, replay)
        self.new: dict[int, Any] = {}  # from a tensor of the real step to the replay's
        # Tensors that operations wrote to in place; what they held at the time cannot be read from them now.
        self.rewritten = Counter(id(e.out) for e in replay.kept if isinstance(e, Operation) and e.target() is not None)

    def findings(self) -> list[dict[str, Any]]:
        """The origin of the first non-finite value, forward or backward."""
        mode = Writing(self.tape)
        self.turn_back()
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

    def turn_back(self) -> None:
        """Tensors of the program's that operations wrote to, as they were before the first of these."""
        for entry in self.replay.kept:
            if isinstance(entry, Operation) and entry.before is not None and self.counterpart(entry.out) is None:
                self.pair(entry.out, entry.before)
                self.origin.stands_for[id(entry.before)] = entry.out

    def operate(self, entry: Operation) -> None:
        """An operation once more, on the replay's values; one that no model had a part in keeps its own."""
        inputs = list(everything_in((entry.args, entry.kwargs)))
        target = entry.target()
        if target is not None and self.counterpart(target) is None:
            # It has been done to this very tensor already, and once is what the program wanted.
            return
        leaves = any(isinstance(t, torch.Tensor) and t.requires_grad and t.is_leaf for t in inputs)
        if not leaves and all(self.counterpart(t) is None for t in inputs):
            return
        self.tape.at = self.watch.journal.frames(entry.at)
        drawing = torch.get_rng_state()
        try:
            args, kwargs = self.mapped(entry.args), self.mapped(entry.kwargs)
            out = entry.function(*args, **kwargs)
        finally:
            self.tape.at = None
        if target is not None and out is None:
            # An assignment to a part gives nothing back.
            out = self.counterpart(target)
        elif not torch.equal(drawing, torch.get_rng_state()):
            self.draw_again(entry, out)
        self.pair(entry.out, out)

    def draw_again(self, entry: Operation, out: Any) -> None:
        """Random numbers outside the models are those that were drawn in the step."""
        with torch._C.DisableTorchFunction(), torch.no_grad():
            for before, after in zip(everything_in(entry.out), everything_in(out)):
                drawn = before.value if isinstance(before, Past) else before
                others = self.rewritten[id(before)] - (entry.target() is before)
                if after.grad_fn is None and not others and drawn.shape == after.shape:
                    after.copy_(drawn)

    def counterpart(self, value: Any) -> Any:
        """What the replay has made for a tensor of the real step."""
        found = self.new.get(id(value))
        return self.new.get(id(value.reference())) if found is None and isinstance(value, Past) else found

    def mapped(self, value: Any) -> Any:
        """Arguments with the replay's tensors in place of the real step's."""
        if isinstance(value, (torch.Tensor, Past)):
            made = self.counterpart(value)
            return made if made is not None else value.value if isinstance(value, Past) else value
        if isinstance(value, tuple):
            parts = [self.mapped(v) for v in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
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
        loss = self.counterpart(entry.loss)
        if loss is None:
            return {"why": "what backward was called on could not be computed again"}
        value = float(loss.detach())
        # What was noted may lack the factor of a gradient scaler; what the loss holds may have been changed since.
        real = entry.loss.value if isinstance(entry.loss, Past) else entry.loss
        if not any(alike(value, known) for known in (entry.value, float(real.detach()))):
            return {"why": f"the replay gives a loss of {value:.6g} where the step had {entry.value:.6g}"}
        operations = len(self.tape.seen)
        found = GradientOrigin(self.origin).of(loss) if math.isfinite(value) else self.origin.of(loss)
        if found is not None and "why" not in found:
            self.write_down(loss, found, operations)
        return found

    def write_down(self, loss: Any, found: dict[str, Any], operations: int) -> None:
        """Keep the forward pass for `stetho repro`; what stands in the way is told with the origin."""
        try:
            if self.tape.copied > LARGEST:
                raise Unwritable("its tensors are larger than may be written")
            with unsealed():
                Bundle(self.tape.leaves).write(self.watch.journal.directory, self.tape.seen[:operations], loss, found)
        except (Unwritable, OSError, RuntimeError, KeyError) as error:
            found["unwritten"] = str(error)[:200]


def alike(value: float, known: float) -> bool:
    """Whether the replay's loss is that of the step; two that are not finite are."""
    return math.isclose(value, known, rel_tol=1e-3) or not (math.isfinite(value) or math.isfinite(known))


def amp(dtype: Any) -> Any:
    """Autocast as it was when the entry was kept."""
    return contextlib.nullcontext() if dtype is None else torch.autocast("cpu", dtype=dtype)

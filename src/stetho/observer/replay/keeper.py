"""The step under way, kept so that it can be run again when its numbers stop being finite.

What is kept are references: each call of a whole model with its arguments and the state of the random generator,
and each operation after it up to backward. The replay runs in a forked twin of the process, where batch-norm
buffers, gradients, random numbers and the program's own counters may change as they like.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from ..graph import leaves_below, node_of
from ..tensors import tensors_in
from .influence import Influence
from .kept import Backward, Call, Operation, Past, casting, everything_in
from .localisation import Localisation

if TYPE_CHECKING:
    from ..watch import Watch
    from ..watched import Watched

# Bytes of tensors that may be kept alive for one step beyond what the program itself keeps.
BUDGET = 256 * 1024 * 1024
# Calls of models without gradients that are kept of one step, and the bytes that one of them may have made.
IDLE, SMALL = 4, 16 * 1024 * 1024
# Calls and operations kept of one step, and operations whose graph is kept with them.
MOST, RECENT = 20_000, 64


class Replay:
    """Keeps the step under way and, when it goes wrong, has a twin run it again."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.on = True
        self.kept: list[Call | Operation | Backward] = []
        self.size = 0
        self.too_large = False
        self.localisation = Localisation(self)
        self.influence = Influence(self)
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
        call = Call(module, args, kwargs, casting(), at, random)
        if self.watch.tracer.looking and not self._look(call):
            return
        self.open = call
        self.kept.append(call)

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

    def operation(self, function: Any, args: Any, kwargs: Any, out: Any, depth: int, before: Any = None) -> int:
        """An operation outside the models; the number of its call site, so many frames up."""
        site = self.watch.journal.here(depth)
        if not self.on or self.watch.modules.depth:
            return site
        last = self.kept[-1] if self.kept else None
        # A library loss is seen twice where the mode is on: by its wrapper and by the mode.
        if not (isinstance(last, Operation) and last.out is out and not (args and args[0] is out)):
            if self.watch.tracer.keeping:
                self._count(out)
            self.kept.append(Operation(function, args, kwargs, out, site, casting(), before))
            self.recent += 1
            if self.recent > RECENT:
                self.settle()
        return site

    def _look(self, call: Call) -> bool:
        """On a step that is looked at: how much is kept, whether operations made the input; whether it may be kept."""
        for tensor, _ in call.versions:
            self.size += tensor.numel() * tensor.element_size()
            if tensor.device.type != "cpu":
                # There is no replay beside an accelerator, and no memory to spare on it.
                self.on = False
                self.let_go()
        if self.size > BUDGET:
            self._drop()
        self.watch.tracer.input_comes(call.versions)
        return self.on

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
        elif self.on and not self.influence.asked:
            self.influence.look(self.watch.step)

    def gradient_bad(self, watched: Watched) -> None:
        """A step is about to use gradients that are not finite."""
        self.localise("a gradient", watched.steps)

    def unfinished(self) -> None:
        """The program ends: with a step begun, if it looks at its loss and gives up, or with weights just spoiled."""
        if self.localisation.told < 0:
            self.localisation.spoiled_last()
        if self.kept and isinstance(self.kept[-1], Backward):
            return
        for entry in reversed(self.kept):
            value = entry.out if isinstance(entry, (Operation, Call)) else None
            if isinstance(value, torch.Tensor) and value.numel() == 1 and value.requires_grad:
                loss = value.item() if value.device.type == "cpu" else 0.0
                if not math.isfinite(loss):
                    self.backward(value, loss)
                return

    def step_ended(self) -> None:
        """The step is over: let go of what was kept for it, or with several optimizers for the step before it."""
        for entry in reversed(self.kept):
            if isinstance(entry, Backward):
                # The node and not the loss: the program may count on its being gone.
                loss = entry.loss.reference() if isinstance(entry.loss, Past) else entry.loss
                self.previous = None if loss is None else node_of(loss)
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
        return self.previous is not None and any(leaf is parameter for leaf in leaves_below(self.previous))

    def localise(self, what: str, step: int) -> None:
        """Find out, now, where the numbers of this step stopped being finite."""
        self.localisation.localise(what, step)

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.kept, self.open, self.previous, self.past, self.size, self.mark = [], None, None, {}, 0, 0

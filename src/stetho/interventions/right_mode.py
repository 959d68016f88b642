"""Train in training mode and evaluate in evaluation mode, whatever mode the program leaves its model in.

## What changes
While a model in evaluation mode is called for training, all its modules are in training mode; while one in training
mode is called without gradients, all are in evaluation mode. Afterwards each module is put back into the mode it had.
Functions that drop numbers at random whatever the mode drop none in evaluation.

## How it is known
At the end of the call every module is still in the mode that was lent. What counts as training is seen in the graph:
backward comes to what the model has made. The first such call of a line only shows this, and is left as it is; the step
that follows finds gradients of zero, as what one step in the wrong mode leaves behind may outlast many others.

## What it tells
If learning gets better, the model was trained in the wrong mode; if only evaluation does, it was evaluated in it.

## When it says nothing
Modes that are right already. Models whose output without gradients is given to a model or a loss that trains, as that
of a generator, a teacher or a momentum encoder: the run does not count. What the program computes from it first is not
followed. Models that are called without gradients in training mode for another reason, as those that only renew the
statistics of their layers.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when the model is in training mode for training, and only then?"
applies = "models of torch's"
values = {
    "": "by what the call is for",
    "evaluation": "only calls without gradients, which are then in evaluation mode",
    "training": "only calls that train, which are then in training mode",
}
example = "evaluation"
backgrounds = {
    "evaluation": {"symptom-gone": 0.02, "better": 0.03, "same": 0.85, "worse": 0.08, "new-failure": 0.02},
    "training": {"symptom-gone": 0.03, "better": 0.04, "same": 0.70, "worse": 0.18, "new-failure": 0.05},
}
moves = "layers draw random numbers in training mode only"
# Nodes of a graph that are gone through, from the loss down, to see whether a call has led to it.
NODES = 20_000
# Calls that are kept until the next backward.
FEW = 4
# Functions that drop numbers at random unless they are told not to.
DROPPING = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
ATTENTION = "scaled_dot_product_attention"
Modes = list[tuple[Any, bool]]
"""Modules, each with a mode."""
Place = tuple[int, tuple[Any, ...]]
"""A model, and the lines of the program that it is called from."""


class Lending:
    """Lends the modules of a model a mode, for the length of a call."""

    def __init__(self) -> None:
        self.lent: Modes = []
        """With the modes they had."""
        # What is lent to a part while it is computed again, for checkpoints within it.
        self.repeated: Modes = []

    def lend(self, module: Any, mode: bool) -> None:
        for one in module.modules():
            self.lent.append((one, one.training))
            one.training = mode

    def still(self, mode: bool) -> bool:
        """Whether all have the mode they were lent."""
        return all(one.training == mode for one, _ in self.lent)

    def put_back(self) -> None:
        give(self.lent)
        self.lent.clear()

    def again(self) -> Callable[[], contextlib.AbstractContextManager[None]] | None:
        """The modes of this call, for what backward computes again."""
        modes = current(self.lent or self.repeated)
        return (lambda: self.as_lent(modes)) if modes else None

    @contextlib.contextmanager
    def as_lent(self, modes: Modes) -> Iterator[None]:
        own, before = current(modes), self.repeated
        self.repeated = own
        give(modes)
        try:
            yield
        finally:
            self.repeated = before
            give(own)


class Stillness:
    """Lets functions that drop numbers at random drop none, for the length of a call in evaluation."""

    def __init__(self, run: Run) -> None:
        self.run, self.entered, self.stilled = run, False, 0
        self.mode: Any = None

    def begin(self) -> None:
        """Put the mode on."""
        self.stilled, self.entered = 0, True
        self.mode = self.mode or mode_of(self.run.torch, self)
        self.mode.__enter__()

    def end(self) -> bool:
        """Take it off again; whether anything would have been dropped."""
        if self.entered:
            self.mode.__exit__(None, None, None)
            self.entered = False
        return self.stilled > 0

    def called(self, name: str, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The arguments of a function, with nothing to be dropped."""
        if name in DROPPING and (args[2] if len(args) > 2 else kwargs.get("training", True)):
            self.stilled += 1
            return (*args[:2], False, *args[3:]) if len(args) > 2 else args, (
                kwargs if len(args) > 2 else {**kwargs, "training": False}
            )
        if name == ATTENTION and (args[4] if len(args) > 4 else kwargs.get("dropout_p", 0.0)):
            self.stilled += 1
            return (*args[:4], 0.0, *args[5:]) if len(args) > 4 else args, (
                kwargs if len(args) > 4 else {**kwargs, "dropout_p": 0.0}
            )
        return args, kwargs


class Purpose:
    """Tells by the graph from which lines a model in evaluation mode is called for training."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.proven: set[Place] = set()
        self.waiting: list[tuple[Place, list[Any]]] = []
        self.found = False
        """Whether the last backward has come from a call that nobody knew to train, and was left as it is."""

    def wait(self, place: Place, output: Any) -> None:
        """A call from these lines has made this: a backward may come from it."""
        nodes = [t.grad_fn for t in self.run.tensors(output) if t.grad_fn is not None]
        self.waiting.append((place, nodes))
        # Holding on to graphs costs memory.
        del self.waiting[:-FEW]

    def led_here(self, losses: Any) -> None:
        """Calls whose output this backward comes to were training."""
        if self.waiting:
            reached = below([t.grad_fn for t in losses if t.grad_fn is not None])
            came = {place for place, nodes in self.waiting if any(node in reached for node in nodes)}
            self.found = self.found or not came <= self.proven
            self.proven |= came

    def leave_out(self, optimizer: Any) -> None:
        """A step on what a call in the wrong mode has made: large gradients would stay in the optimizer's moments."""
        if not self.found:
            return
        for parameter in [p for group in optimizer.param_groups for p in group["params"]]:
            if parameter.grad is not None:
                parameter.grad = self.run.torch.zeros_like(parameter.grad)

    def let_go(self, optimizer: Any) -> None:
        self.waiting.clear()
        self.found = False


class Idle:
    """What was made without gradients in a mode that was lent."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.made = run.memory(FEW)

    def add(self, output: Any) -> None:
        self.made.add(self.run.tensors(output))

    def given(self, module: Any, args: Any, kwargs: Any) -> None:
        self.used(self.run.tensors((args, kwargs)))

    def met(self, target: Any, output: Any) -> None:
        self.used([target])

    def used(self, tensors: list[Any]) -> None:
        """What trains is given a tensor that was made without gradients, or one that shares its memory."""
        if any(tensor in self.made for tensor in tensors):
            self.run.contradicted("a model called without gradients is part of the training")


class Calls:
    """Lends each call of a model the mode that fits what it is for."""

    def __init__(self, run: Run, lending: Lending, purpose: Purpose, idle: Idle, only: str) -> None:
        self.run, self.lending, self.purpose, self.idle = run, lending, purpose, idle
        self.only = only
        self.stillness = Stillness(run)
        self.place: Place = (0, ())
        self.wanted = self.unclear = False

    def enter(self, module: Any, training: bool) -> None:
        """Switch where the mode is wrong."""
        if self.run.computing_again:
            return
        self.lending.put_back()
        self.stillness.end()
        self.place = (id(module), self.run.called_from())
        self.wanted = self.run.torch.is_grad_enabled()
        # In evaluation mode with gradients it may be either, until a backward has come from a call at these lines.
        self.unclear = self.wanted and not module.training and self.place not in self.purpose.proven
        wrong = not module.training if self.wanted else any(m.training for m in module.modules())
        other = {"evaluation": self.wanted, "training": not self.wanted}.get(self.only, False)
        if not self.wanted and not other:
            self.stillness.begin()
        if self.unclear or other or not wrong:
            self.run.refused("the model is in the right mode already")
            return
        self.lending.lend(module, self.wanted)
        self.run.applied()

    def leave(self, module: Any, training: bool, output: Any) -> None:
        """Look, and put the modes back."""
        if self.run.computing_again:
            return
        stilled = self.stillness.end()
        if self.lending.lent:
            self.look(output)
        elif stilled:
            self.idle.add(output)
            self.run.applied()
            self.run.verified()
        self.lending.put_back()
        if self.unclear:
            self.purpose.wait(self.place, output)

    def look(self, output: Any) -> None:
        if not self.wanted:
            self.idle.add(output)
        if self.lending.still(self.wanted):
            self.run.verified()
        else:
            self.run.contradicted("the model sets the mode of its layers itself, while it is called")


def apply(run: Run, value: str) -> None:
    """Lend the mode for the length of each call, once it is known what calls from these lines are for."""
    lending, purpose, idle = Lending(), Purpose(run), Idle(run)
    calls = Calls(run, lending, purpose, idle, value)
    if value:
        # Layers in another mode make another loss; what the program prints of its results tells which is better.
        run.alters = "evaluation"
    run.on_entering(calls.enter)
    run.again(lending.again)
    run.on_output(calls.leave)
    run.on_input(idle.given)
    run.on_target(idle.met)
    run.on_backward(purpose.led_here)
    if value != "evaluation":
        run.on_gradients(purpose.leave_out)
    run.on_stepped(purpose.let_go)


def mode_of(torch: Any, stillness: Stillness) -> Any:
    """A mode that shows each function of torch's before it is called; torch is there only in the program."""

    class Mode(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            args, kwargs = stillness.called(getattr(func, "__name__", ""), args, kwargs or {})
            return func(*args, **kwargs)

    return Mode()


def current(modes: Modes) -> Modes:
    """The same modules with the modes they have now."""
    return [(one, one.training) for one, _ in modes]


def give(modes: Modes) -> None:
    """Put each module into its mode."""
    for one, mode in modes:
        one.training = mode


def below(nodes: list[Any]) -> set[Any]:
    """The nodes of a graph that a backward from these comes to."""
    seen, ahead = set(nodes), list(nodes)
    while ahead and len(seen) < NODES:
        for node, _ in ahead.pop().next_functions:
            if node is not None and node not in seen:
                seen.add(node)
                ahead.append(node)
    return seen

"""Functions of the program's own with a gradient that is written by hand: their calls, and how right it is."""

from __future__ import annotations

import functools
import inspect
import time
from typing import TYPE_CHECKING, Any, Iterator

import torch

from .. import guard, sites, twin
from ..guard import guarded
from ..replay.hand_gradients import compared
from ..unseen import is_compiling, transformed

if TYPE_CHECKING:
    from ..watch import Watch

# The steps that are looked at as long as a function is left that was not called, calls of each, and how many there are.
STEPS, CALLS, FUNCTIONS = (1, 10, 50), 2, 12
# Seconds that the program waits at most, and numbers of one call that are kept until backward.
PATIENCE, LARGEST = 10.0, 20_000_000


# How a function that takes no context tells what backward needs; before 2.0 there was no such way.
SETUP = getattr(torch.autograd.Function, "setup_context", None)


class Called:
    """One call of such a function: what it was called with, and what of it asks for a gradient."""

    def __init__(self, kind: Any, args: tuple[Any, ...]) -> None:
        self.kind = kind
        self.args = args
        self.asks = [isinstance(a, torch.Tensor) and a.requires_grad and a.is_floating_point() for a in args]
        self.leaves = [asks and a.is_leaf for asks, a in zip(self.asks, args)]


class Functions:
    """Follows calls for the length of a step, and then has a twin hold each gradient against differences."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.calls: list[Called] = []
        self.examined: set[Any] = set()
        self.armed: list[tuple[Any, Any]] = []

    def step_ended(self, step: int) -> None:
        """Between steps: follow the functions of the program's own in the next one."""
        self.disarm()
        if step in STEPS and not (self.watch.run.calls or self.watch.tracer.compiled or self.watch.process.rank):
            owners = dict.fromkeys(owner(kind, "forward") for kind in self.found() if kind not in self.examined)
            for one in owners if torch.cuda.is_initialized() is False and twin.refusal() is None else ():
                self.follow(one)

    def found(self) -> Iterator[Any]:
        """The classes of functions that the program has defined."""
        waiting, count = list(torch.autograd.Function.__subclasses__()), 0
        while waiting and count < FUNCTIONS:
            kind = waiting.pop()
            waiting += kind.__subclasses__()
            code = getattr(getattr(kind, "backward", None), "__code__", None)
            if code is not None and sites.user_file(code.co_filename) is not None:
                count += 1
                yield kind

    def follow(self, kind: Any) -> None:
        """Have each call of a function noted."""
        plain = vars(kind).get("forward")
        original = getattr(plain, "__func__", None)
        if not isinstance(plain, staticmethod) or original is None:
            return
        mine, separate = self, getattr(kind, "setup_context", None) is not SETUP

        @functools.wraps(original)
        def forward(*args: Any, **kwargs: Any) -> Any:
            if not guard.away() and not is_compiling():
                mine.called(kind, args if separate else args[1:], None if separate else args[0], kwargs)
            return original(*args, **kwargs)

        kind.forward = staticmethod(forward)
        self.armed.append((kind, plain))

    def disarm(self) -> None:
        """Leave the functions as they were."""
        for kind, plain in self.armed:
            kind.forward = plain
        self.armed = []

    @guarded
    def called(self, kind: Any, args: tuple[Any, ...], context: Any, kwargs: Any) -> None:
        """Keep what a function was called with, until backward begins."""
        # One that inherits its forward pass is known by what it is called on.
        kind = getattr(type(context), "_forward_cls", kind)
        call = Called(kind, args)
        size = sum(a.numel() for a in args if isinstance(a, torch.Tensor))
        if kwargs or transformed() or not any(call.asks) or size > LARGEST:
            return
        if sum(one.kind is kind for one in self.calls) < CALLS:
            self.calls.append(call)

    def compare(self) -> None:
        """Backward begins: have a twin look at what was called, and write down what it finds."""
        self.disarm()
        calls, self.calls = self.calls, []
        if not calls:
            return
        self.examined.update(call.kind for call in calls)
        began = time.perf_counter()
        for body in twin.ask(lambda: compared(calls), PATIENCE):
            number = body.pop("call", None)
            if number is not None:
                kind = calls[number].kind
                self.watch.journal.write(
                    "hand-gradient", name=kind.__name__, path=kind.__qualname__, site=self.line(kind), **body
                )
        # What the observer did just now is not the program's time.
        self.watch.ended += time.perf_counter() - began

    def line(self, kind: Any) -> int:
        """The call site that stands for the line at which a gradient is written."""
        code = inspect.unwrap(kind.backward).__code__
        return self.watch.journal.site([(sites.user_file(code.co_filename), code.co_firstlineno, kind.__name__)])

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.disarm()
        self.calls = []


def owner(kind: Any, name: str) -> Any:
    """The class that a class has a method from."""
    return next(base for base in kind.__mro__ if name in vars(base))

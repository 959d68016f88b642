"""The one change that an experiment makes: loads the intervention's file and gives it its hooks."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any, Callable, Iterable, TypeVar

import torch

from .guard import guarded
from .late import snapshot
from .late.streams import rebuilt

if TYPE_CHECKING:
    from .watch import Watch

F = TypeVar("F", bound=Callable[..., Any])


class Run:
    """What an intervention may touch. Each `on_…` method registers a function; `count` proves it was applied."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.torch = torch
        self.count = 0
        self.calls: dict[str, list[Callable[..., Any]]] = {}

    def load(self, changes: Iterable[tuple[str, str, str]]) -> None:
        """Run each intervention's file by its path, since the user's interpreter need not have stetho."""
        for name, value, path in changes:
            spec: Any = importlib.util.spec_from_file_location("_stetho_change_" + name.replace("-", "_"), path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            module.apply(self, value)

    def applied(self, times: int = 1) -> None:
        """Count an application; an experiment without any is no evidence."""
        self.count += times

    def _register(self, moment: str, function: F) -> F:
        """Keep a function for its moment and give it back, so that registering works as a decorator."""
        self.calls.setdefault(moment, []).append(function)
        return function

    def on_optimizer(self, function: F) -> F:
        """`function(optimizer)` when one has been made."""
        return self._register("optimizer", function)

    def on_backward(self, function: F) -> F:
        """`function()` before each backward."""
        return self._register("backward", function)

    def on_step(self, function: F) -> F:
        """`function(optimizer)` before each optimizer step."""
        return self._register("step", function)

    def on_stepped(self, function: F) -> F:
        """`function(optimizer)` after each optimizer step."""
        return self._register("stepped", function)

    def on_loss(self, function: F) -> F:
        """`function(name, input, target) -> (input, target)` at each call of a loss."""
        return self._register("loss", function)

    def on_model_input(self, function: F) -> F:
        """`function(module, args) -> args` when a whole model is called for training."""
        return self._register("input", function)

    def on_clip(self, function: F) -> F:
        """`function(max_norm) -> max_norm` when gradients are about to be clipped."""
        return self._register("clip", function)

    def on_step_over(self, function: F) -> F:
        """`function(optimizer)` after each optimizer step, when every change has put back what it had lent."""
        return self._register("over", function)

    def on_batch(self, function: F) -> F:
        """`function(stream, batch) -> batch` when a loader delivers; a stream is a place where loaders are made."""
        return self._register("batch", function)

    def put_back(self, state: dict[str, Any]) -> None:
        """Make this process's training that of a checkpoint; raises, with nothing changed, if it cannot be."""
        snapshot.put_back(self.watch, state, snapshot.frames_here(2))

    def rebuilt(self, batch: Any, leaves: list[Any]) -> Any:
        """A batch of the same form with the tensors and values of another."""
        return rebuilt(batch, leaves)

    def first_input(self) -> list[str] | None:
        """Fingerprints of what the step under way was first called with."""
        return self.watch.ring.first_input()

    def tell(self, kind: str, **fields: Any) -> None:
        """Put something on record for whoever reads the run."""
        self.watch.journal.write(kind, **fields)

    @property
    def optimizers(self) -> list[Any]:
        """The optimizers made so far, in the order of their making."""
        return [w.optimizer for w in self.watch.optimizers.values()]

    def gradients_used(self, optimizer: Any) -> bool:
        """Whether the gradients of this optimizer's last step were not cleared since."""
        watched = self.watch.known(optimizer)
        return watched.steps > 0 and not watched.cleared

    def left_out(self) -> list[Any]:
        """Parameters that the loss reaches and no optimizer holds."""
        return self.watch.reach.left_out()

    def _fire(self, moment: str, *args: Any) -> None:
        for function in self.calls.get(moment, ()):
            function(*args)

    def optimizer_made(self, optimizer: Any) -> None:
        self._fire("optimizer", optimizer)

    def before_backward(self) -> None:
        self._fire("backward")

    def before_step(self, optimizer: Any) -> None:
        self._fire("step", optimizer)

    def after_step(self, optimizer: Any) -> None:
        self._fire("stepped", optimizer)
        self._fire("over", optimizer)

    @guarded
    def batch(self, stream: int, batch: Any) -> Any:
        """A loader's batch, passed through every registered function in turn."""
        for function in self.calls.get("batch", ()):
            batch = function(stream, batch)
        return batch

    @guarded
    def loss_arguments(self, name: str, given: Any, target: Any) -> tuple[Any, Any]:
        """Input and target of a loss, passed through every registered function in turn."""
        for function in self.calls.get("loss", ()):
            given, target = function(name, given, target)
        return given, target

    @guarded
    def model_input(self, module: Any, args: Any) -> Any:
        """Positional arguments of a model, passed through every registered function in turn."""
        for function in self.calls.get("input", ()):
            args = function(module, args)
        return args

    def clip_limit(self, limit: Any) -> Any:
        """The norm to clip at, passed through every registered function in turn."""
        for function in self.calls.get("clip", ()):
            limit = function(limit)
        return limit

    @property
    def changes_losses(self) -> bool:
        """Whether losses need their arguments replaced; without it they are handed on untouched."""
        return bool(self.calls.get("loss"))

    @property
    def changes_inputs(self) -> bool:
        """Whether models need their input replaced, which keeps the module hooks in place for the whole run."""
        return bool(self.calls.get("input"))

    def report(self) -> None:
        """Record how often the change was applied, which decides whether the experiment counts."""
        self.watch.journal.write("applied", count=self.count)

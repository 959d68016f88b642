"""The moments of a training that a change can ask for."""

from __future__ import annotations

from typing import Any, Callable

from .moments import F


class Asking:
    """Each method registers a function for a moment, and gives it back, so that it works as a decorator."""

    def __init__(self) -> None:
        self.calls: dict[str, list[Callable[..., Any]]] = {}

    def _register(self, moment: str, function: F) -> F:
        self.calls.setdefault(moment, []).append(function)
        return function

    def on_optimizer(self, function: F) -> F:
        """`function(optimizer)` when one has been made."""
        return self._register("optimizer", function)

    def on_loader(self, function: F) -> F:
        """`function(settings)` before a DataLoader is made; `settings` are its arguments by name, to be changed."""
        return self._register("loader", function)

    def on_fetch(self, function: F) -> F:
        """`function(iterator, fetch) -> batch` when a loader is asked for a batch; `fetch()` is what it would do."""
        return self._register("fetch", function)

    def on_workers(self, function: F) -> F:
        """`function(alike, training)` when workers have told which generators they draw the same numbers from."""
        return self._register("workers", function)

    def on_batch(self, function: F) -> F:
        """`function(stream, batch) -> batch` when a loader delivers; a stream is a place where loaders are made."""
        return self._register("batch", function)

    def on_entering(self, function: F) -> F:
        """`function(module, training)` before a whole model is called, for training or not."""
        return self._register("entering", function)

    def on_input(self, function: F) -> F:
        """`function(module, args, kwargs) -> (args, kwargs)` when a whole model is called for training."""
        return self._register("input", function)

    def on_idle_input(self, function: F) -> F:
        """The same when a whole model is called for something else than training."""
        return self._register("idle", function)

    def on_left(self, function: F) -> F:
        """`function(module, training)` after a whole model was called, also when it raised."""
        return self._register("left", function)

    def on_output(self, function: F) -> F:
        """`function(module, training, output) -> output or None` when a whole model has returned; before `on_left`."""
        return self._register("output", function)

    def on_loss(self, function: F) -> F:
        """`function(call)` at each call of a loss of torch's; what it changes in the call is what is called."""
        return self._register("loss", function)

    def on_loss_over(self, function: F) -> F:
        """`function(call, output)` when a loss of torch's has returned."""
        return self._register("loss over", function)

    def on_target(self, function: F) -> F:
        """`function(target, met) -> target` where labels meet the model's output, in a loss or in plain operations."""
        return self._register("target", function)

    def on_beside(self, function: F) -> F:
        """`function(tensor, met, what) -> tensor` where something else than a label, with a row for each sample, meets
        the output in plain operations: `what` is "input", "factor" or "mask"."""
        return self._register("beside", function)

    def on_mixed(self, function: F) -> F:
        """`function(tensor, calls)` when data of the program's meets what these calls of models without gradients made:
        the reward that is added to a target network's value."""
        return self._register("mixed", function)

    def on_compared(self, function: F) -> F:
        """`function()` when rows of the model's output are set against each other, as with negatives in the batch."""
        return self._register("compared", function)

    def on_objective(self, function: F) -> F:
        """`function(loss) -> loss` when backward is called on one number: backward is called on what it returns."""
        return self._register("objective", function)

    def on_backward(self, function: F) -> F:
        """`function(losses)` before each backward."""
        return self._register("backward", function)

    def on_backward_over(self, function: F) -> F:
        """`function()` after each backward that has not raised."""
        return self._register("backward over", function)

    def on_clip(self, function: F) -> F:
        """`function(max_norm) -> max_norm` when gradients are about to be clipped."""
        return self._register("clip", function)

    def on_step(self, function: F) -> F:
        """`function(optimizer)` before each optimizer step; with a closure, before the closure is called."""
        return self._register("step", function)

    def on_gradients(self, function: F) -> F:
        """`function(optimizer)` when the gradients of a step are all there, in the closure if there is one."""
        return self._register("gradients", function)

    def on_stepped(self, function: F) -> F:
        """`function(optimizer)` after each optimizer step."""
        return self._register("stepped", function)

    def on_step_over(self, function: F) -> F:
        """`function(optimizer)` after each optimizer step, when every change has put back what it had lent."""
        return self._register("over", function)

    def on_report(self, function: F) -> F:
        """`function()` before what the change has done is put on record, at the very end of the run, too."""
        return self._register("report", function)

    def fire(self, moment: str, *args: Any) -> None:
        for function in self.calls.get(moment, ()):
            function(*args)

    def wants(self, *names: str) -> bool:
        """Whether any of these moments is asked for; what nobody asks for is not looked at."""
        return any(name in self.calls for name in names)

"""The one change that an experiment makes: loads the intervention's file and gives it its hooks."""

from __future__ import annotations

import importlib.util

import torch

from .guard import guarded


class Run:
    """What an intervention may touch. Each `on_…` method registers a function; `count` proves it was applied."""

    def __init__(self, watch):
        self.watch = watch
        self.torch = torch
        self.count = 0
        self.calls = {}

    def load(self, changes):
        for name, value, path in changes:
            spec = importlib.util.spec_from_file_location("_stetho_change_" + name.replace("-", "_"), path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            module.apply(self, value)

    def applied(self, times=1):
        """Count an application; an experiment without any is no evidence."""
        self.count += times

    def _register(self, moment, function):
        self.calls.setdefault(moment, []).append(function)
        return function

    def on_optimizer(self, function):
        """`function(optimizer)` when one has been made."""
        return self._register("optimizer", function)

    def on_backward(self, function):
        """`function()` before each backward."""
        return self._register("backward", function)

    def on_step(self, function):
        """`function(optimizer)` before each optimizer step."""
        return self._register("step", function)

    def on_stepped(self, function):
        """`function(optimizer)` after each optimizer step."""
        return self._register("stepped", function)

    def on_loss(self, function):
        """`function(name, input, target) -> (input, target)` at each call of a loss."""
        return self._register("loss", function)

    def on_model_input(self, function):
        """`function(module, args) -> args` when a whole model is called for training."""
        return self._register("input", function)

    def on_clip(self, function):
        """`function(max_norm) -> max_norm` when gradients are about to be clipped."""
        return self._register("clip", function)

    @property
    def optimizers(self):
        return [w.optimizer for w in self.watch.optimizers.values()]

    def gradients_used(self, optimizer):
        """Whether the gradients of this optimizer's last step were not cleared since."""
        watched = self.watch.known(optimizer)
        return watched.steps > 0 and not watched.cleared

    def left_out(self):
        """Parameters that the loss reaches and no optimizer holds."""
        return self.watch.modules.left_out()

    def _fire(self, moment, *args):
        for function in self.calls.get(moment, ()):
            function(*args)

    def optimizer_made(self, optimizer):
        self._fire("optimizer", optimizer)

    def before_backward(self):
        self._fire("backward")

    def before_step(self, optimizer):
        self._fire("step", optimizer)

    def after_step(self, optimizer):
        self._fire("stepped", optimizer)

    @guarded
    def loss_arguments(self, name, given, target):
        for function in self.calls.get("loss", ()):
            given, target = function(name, given, target)
        return given, target

    @guarded
    def model_input(self, module, args):
        for function in self.calls.get("input", ()):
            args = function(module, args)
        return args

    def clip_limit(self, limit):
        for function in self.calls.get("clip", ()):
            limit = function(limit)
        return limit

    @property
    def changes_losses(self):
        return bool(self.calls.get("loss"))

    @property
    def changes_inputs(self):
        return bool(self.calls.get("input"))

    def report(self):
        self.watch.journal.write("applied", count=self.count)

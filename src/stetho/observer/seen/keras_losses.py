"""Losses of Keras 3 on torch: what they are in torch's words, and what becomes of the losses of single samples."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable

import torch

from .. import arrival, guard
from ..guard import anywhere, guarded
from ..unseen import unrecorded

if TYPE_CHECKING:
    from ..watch import Watch

MODULE, WRAPPERS = "keras.src.losses.loss", "keras.src.losses.losses"
REDUCTIONS = {"sum_over_batch_size": "mean", "mean": "mean", "mean_with_sample_weight": "mean", "sum": "sum"}
# Losses that Keras computes by plain operations, as torch calls them; all others come to torch's own functions.
NUMBERS = {"mean_squared_error": "mse_loss", "mean_absolute_error": "l1_loss"}
CLASSES = "categorical_crossentropy"
# How near to 0 and 1 Keras lets probabilities come.
EPSILON = 1e-7


class KerasLosses:
    """Patches Keras's losses once they are imported."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def install(self) -> list[Callable[[], None]]:
        """Wait for Keras; what is returned calls that off."""
        return [
            arrival.when_imported(MODULE, anywhere(self.patch_reduction)),
            arrival.when_imported(WRAPPERS, anywhere(self.patch_functions)),
        ]

    def patch_reduction(self, module: Any) -> None:
        original = module.Loss.__call__
        objectives = self.watch.objectives

        @functools.wraps(original)
        def called(loss: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
            before = objectives.reduced
            objectives.reduced = REDUCTIONS.get(str(loss.reduction)) if sample_weight is None else None
            try:
                return original(loss, y_true, y_pred, sample_weight)
            finally:
                objectives.reduced = before

        self.watch.patches.replace(module.Loss, "__call__", called)

    def patch_functions(self, module: Any) -> None:
        original = module.LossFunctionWrapper.call
        mine = self

        @functools.wraps(original)
        def call(loss: Any, y_true: Any, y_pred: Any) -> Any:
            values = original(loss, y_true, y_pred)
            if not guard.away() and not guard.compiling():
                mine.seen(loss, y_true, y_pred, values)
            return values

        self.watch.patches.replace(module.LossFunctionWrapper, "call", call)

    @guarded
    def seen(self, loss: Any, target: Any, given: Any, values: Any) -> None:
        """A loss has been computed for each sample."""
        if not all(isinstance(one, torch.Tensor) and not one.is_meta for one in (target, given, values)):
            return
        name = getattr(loss.fn, "__name__", "")
        if name in NUMBERS:
            self.watch.objectives.elsewhere(NUMBERS[name], given, target, values)
        elif name == CLASSES and given.dim() == 2 and given.shape == target.shape:
            self.of_classes(given, target, values, dict(loss._fn_kwargs))

    def of_classes(self, given: Any, target: Any, values: Any, settings: dict[str, Any]) -> None:
        """Classes that are given by a row of zeros with a single one; shares of several classes are another matter."""
        with unrecorded():
            known = target.detach()
            if not bool(((known == 0) | (known == 1)).all()) or not bool((known.sum(dim=1) == 1).all()):
                return
            classes = known.argmax(dim=1)
            if settings.get("from_logits"):
                name, scores = "cross_entropy", given.detach()
            else:
                shares = given.detach() / given.detach().sum(dim=1, keepdim=True)
                name, scores = "nll_loss", shares.clamp(EPSILON, 1 - EPSILON).log()
        if not settings.get("label_smoothing"):
            self.watch.objectives.elsewhere(name, scores, classes, values)

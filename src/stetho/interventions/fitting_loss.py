"""Use a loss that fits the targets.

## What changes
Targets that are numbers and no shares of classes go through the squared error instead of cross-entropy, or through the
binary loss when they are all 0 or 1. Single scores that a loss for real numbers fits to 0 and 1 go through the binary
loss. A class that the loss leaves out is counted. Where the largest score is compared with the number of the class,
backward is called on the cross-entropy of all scores instead. A softmax of a loss that is written by hand goes along
the classes where it went along another axis.

## How it is known
The other loss is called with the same outputs and targets, and its value is finite. The results of the softmax sum to
one over the classes.

## What it tells
If it learns now, the loss did not fit the task.

## When it says nothing
Losses that fit; losses that are written with plain operations, but for the largest score and the softmax.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn with a loss that fits its targets?"
applies = "losses whose targets are of another kind than they are made for"
by_hand = False
values = {"": "whatever fits the targets", "B>A@FILE:LINE": "the softmax there along axis A instead of B, too"}
alters = "loss"
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.70, "worse": 0.20, "new-failure": 0.05}}
NUMBERS = ("mse_loss", "l1_loss", "smooth_l1_loss")
# Lines that are known of a softmax: that of the call, or that of the layer and the call.
LINES = 2


def chosen(facts: Mapping[str, Any]) -> str:
    """The softmax that was seen to go along another axis than the classes."""
    found = facts.get("plain-loss")
    for one in found.meetings if found is not None else ():
        if one.softmax_axis is not None and one.softmax_at:
            lines = ",".join(f"{place.file}:{place.line}" for place in one.softmax_at[:LINES])
            return f"{one.softmax_axis}>{one.class_axis}@{lines}"
    return ""


def turn_softmax(run: Run, value: str) -> None:
    """Let the softmax of some lines go along another axis."""
    torch = run.torch
    axes, _, lines = value.partition("@")
    along, axis = (int(number) for number in axes.split(">"))
    wanted = {tuple(line.rsplit(":", 1)) for line in lines.split(",")}

    def is_there() -> bool:
        at = run.called_from()[:1]
        return any(
            str(line) == there and (file or "").endswith(os.sep + name.lstrip(os.sep))
            for file, line, _ in at
            for name, there in wanted
        )

    def softmax(original: Any, *args: Any, **kwargs: Any) -> Any:
        given: Any = args[0] if args else kwargs.get("input")
        dim = args[1] if len(args) > 1 else kwargs.get("dim")
        if not torch.is_tensor(given) or type(dim) is not int or axis >= given.dim() or dim % given.dim() != along:
            return original(*args, **kwargs)
        if not is_there():
            return original(*args, **kwargs)
        args = (*args[:1], axis, *args[2:]) if len(args) > 1 else args
        kwargs = {**kwargs, "dim": axis} if len(args) < 2 else kwargs
        made = original(*args, **kwargs)
        run.applied()
        shares = made.detach().exp() if original.__name__ == "log_softmax" else made.detach()
        if bool(((shares.float().sum(axis) - 1).abs() < 1e-3).all()):
            run.verified()
        return made

    for owner in (torch, torch.Tensor, torch.nn.functional):
        for name in ("softmax", "log_softmax"):
            run.instead(owner, name, softmax)


def apply(run: Run, value: str) -> None:
    """Call another loss in place of the one that does not fit."""
    if value:
        turn_softmax(run, value)
    call_other_losses(run)
    count_every_class(run)
    compare_all_scores(run)


def call_other_losses(run: Run) -> None:
    """Put the loss that fits the targets in the place of one for classes, or for real numbers."""
    torch, functional = run.torch, run.torch.nn.functional

    def classes(original: Any, *args: Any, **kwargs: Any) -> Any:
        given, target = arguments(args, kwargs)
        if not torch.is_tensor(given) or not no_shares(torch, given, target):
            return original(*args, **kwargs)
        fitting = functional.binary_cross_entropy_with_logits if binary(target) else functional.mse_loss
        made = fitting(given, target, reduction=reduction(kwargs))
        return counted(run, made) if given.requires_grad else made

    def numbers(original: Any, *args: Any, **kwargs: Any) -> Any:
        given, target = arguments(args, kwargs)
        single = torch.is_tensor(given) and tuple(given.shape[1:]) in ((), (1,)) and torch.is_tensor(target)
        if not single or target.shape != given.shape or not target.is_floating_point() or not binary(target):
            return original(*args, **kwargs)
        if not bool(((given < 0) | (given > 1)).any()):
            return original(*args, **kwargs)
        made = functional.binary_cross_entropy_with_logits(given, target, reduction=reduction(kwargs))
        return counted(run, made) if given.requires_grad else made

    run.instead(functional, "cross_entropy", classes)
    for name in NUMBERS:
        run.instead(functional, name, numbers)


def count_every_class(run: Run) -> None:
    """Let a loss leave out none of the classes that the model answers."""

    @run.on_loss
    def whole(call: Any) -> None:
        if not call.trained or call.name not in ("cross_entropy", "nll_loss") or call.input.dim() != 2:
            return
        left_out = call.get("ignore_index", -100)
        if 0 <= left_out < call.input.shape[1]:
            call.set("ignore_index", -100)
            run.applied()
            if bool((call.target == left_out).any()):
                run.verified()


def compare_all_scores(run: Run) -> None:
    """Call backward on the cross-entropy of all scores, where only the largest one met the number of the class."""
    outputs: list[Any] = []
    labels: list[Any] = []

    @run.on_output
    def keep(module: Any, training: bool, output: Any) -> None:
        outputs.clear()
        labels.clear()
        found = [t for t in run.tensors(output) if training and t.dim() == 2 and t.shape[1] > 2 and t.requires_grad]
        outputs.extend(found[:1])

    @run.on_target
    def met(target: Any, given: Any) -> Any:
        alike = tuple(target.shape) == tuple(given.shape)
        if not outputs or run.in_loss or not alike or tuple(given.shape) != tuple(outputs[0].shape[:1]):
            return target
        named = bool((target == target.round()).all()) and int(target.min()) >= 0
        if named and 2 <= int(target.max()) < outputs[0].shape[1]:
            labels.append(target)
        return target

    @run.on_objective
    def of_classes(loss: Any) -> Any:
        if len(labels) != 1 or not outputs:
            run.refused("the loss fits its targets, or nothing else is known that does")
            return loss
        given, target = outputs[0], labels[0].long()
        outputs.clear()
        labels.clear()
        return counted(run, run.torch.nn.functional.cross_entropy(given, target)).reshape(loss.shape)


def counted(run: Run, made: Any) -> Any:
    """A loss that was called in place of another, known to be one by its being finite."""
    run.applied()
    if bool(run.torch.isfinite(made.detach()).all()):
        run.verified()
    return made


def arguments(args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Input and target of a loss, however they were given."""
    return args[0] if args else kwargs.get("input"), args[1] if len(args) > 1 else kwargs.get("target")


def reduction(kwargs: Any) -> str:
    return str(kwargs.get("reduction", "mean"))


def binary(target: Any) -> bool:
    """Whether targets are all 0 or 1."""
    return bool(((target == 0) | (target == 1)).all()) and bool((target == 1).any())


def no_shares(torch: Any, given: Any, target: Any) -> bool:
    """Whether targets are numbers for each score that are no shares of classes."""
    if not torch.is_tensor(target) or not target.is_floating_point() or target.shape != given.shape:
        return False
    axis = 1 if given.dim() > 1 else 0
    sums = target.sum(dim=axis)
    return given.shape[axis] < 2 or bool((target < 0).any()) or bool(((sums - 1).abs() > 1e-3).any())

"""Number the classes differently in training: each becomes the one before it, or after it.

## What changes
Targets that are numbers of classes are moved by one within the model's outputs, and what leaves one end comes in at the
other; targets that are 0 or 1 in floating-point numbers are exchanged. Evaluation keeps its own.

## How it is known
The loss is given other classes than the program gave.

## What it tells
A model learns any numbering. If what the program measures on held-out data gets clearly better, training and evaluation
number their classes differently.

## When it says nothing
Targets that are numbers, shares or several classes at once, and programs that print no result. Where it was seen which
class is taken for which, `renumbered-classes` asks in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Do training and evaluation number the classes alike?"
applies = "targets that are classes"
values = {"N": "by so many; -1 or 1"}
example = "-1"
alters = "numbers"
by_hand = False
BACKGROUND = {"symptom-gone": 0.01, "better": 0.02, "same": 0.20, "worse": 0.75, "new-failure": 0.02}
backgrounds = {"-1": BACKGROUND, "1": BACKGROUND}


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether it is not known which class is taken for which, so that no other numbers suggest themselves."""
    return "class-numberings" not in facts


def read(value: str) -> int:
    """By how much the classes move."""
    if int(value) not in (-1, 1):
        raise ValueError("classes move by -1 or by 1")
    return int(value)


def apply(run: Run, value: str) -> None:
    """Move the classes where the training loss gets them."""
    torch = run.torch
    by = read(value)

    @run.on_loss
    def move(call: Any) -> None:
        scores, target = call.input, call.target
        if not call.trained or call.name == "log_softmax" or not torch.is_tensor(target) or not target.numel():
            return
        if target.is_floating_point():
            if not call.name.startswith("binary") or not bool(((target == 0) | (target == 1)).all()):
                run.refused("the targets are no classes")
                return
            call.set("target", 1 - target)
        else:
            classes = int(scores.shape[1 if scores.dim() > 1 else 0])
            kept = (target >= 0) & (target < classes) & (target != call.get("ignore_index", -100))
            call.set("target", torch.where(kept, (target + by) % classes, target))
        run.applied()
        if bool((call.target != target).any()):
            run.verified()

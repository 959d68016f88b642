"""Number the classes of training as the labels of evaluation number them.

## What changes
The targets of training that are classes get other numbers: those under which answers in evaluation were right most
often in the run as it is. Targets with a number for each class have these exchanged. Evaluation keeps its own.

## How it is known
The loss is given other classes than the program gave.

## What it tells
A model learns any numbering. If what is measured on held-out data gets clearly better, training and evaluation number
their classes differently.

## When it says nothing
Targets that are numbers, and programs of whose evaluations nothing is seen or printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Are held-out answers right where training numbers the classes as evaluation does?"
applies = "targets that are classes"
by_hand = False
values = {"": "the numbers under which held-out answers are right", "A>B,...@K": "class A of K becomes B"}
alters = "numbers"
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.02, "same": 0.15, "worse": 0.80, "new-failure": 0.02}}


def chosen(facts: Mapping[str, Any]) -> str:
    """The numbers that were found, for the evaluation in which they make the largest difference."""
    found = facts.get("class-numberings")
    lines = [one for one in found.lines if one.moved] if found is not None else []
    if not lines:
        return ""
    best = max(lines, key=lambda one: one.renumbered - one.right)
    return ",".join(f"{one.answer}>{one.label}" for one in best.moved) + f"@{best.classes}"


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether held-out answers would be right under other numbers."""
    return bool(chosen(facts))


def read(value: str) -> dict[int, int]:
    """Which number becomes which, for each of the classes."""
    pairs, _, classes = value.partition("@")
    new = {k: k for k in range(int(classes or 0))}
    new.update((int(one), int(other)) for one, other in (pair.split(">") for pair in pairs.split(",") if pair))
    if sorted(new) != sorted(new.values()):
        raise ValueError("each class needs a number of its own")
    return new


def apply(run: Run, value: str) -> None:
    """Give the classes their other numbers where the training targets meet the output."""
    torch = run.torch
    new = read(value) if value else {}
    size = len(new)

    @run.on_target
    def renumber(target: Any, met: Any) -> Any:
        if not size or not target.numel():
            run.refused("no other numbers of the classes are known")
            return target
        numbers = torch.tensor([new[k] for k in range(size)], device=target.device)
        made = moved(target, numbers)
        if made is None:
            run.refused("the targets are no classes")
            return target
        run.applied()
        if bool((made != target).any()):
            run.verified()
        return made

    def moved(target: Any, numbers: Any) -> Any:
        if target.dtype == torch.bool:
            target = target.float()
        if not target.is_floating_point():
            inside = (target >= 0) & (target < size)
            return torch.where(inside, numbers[target.clamp(0, size - 1).long()].to(target.dtype), target)
        if target.dim() > 1 and target.shape[1] == size:
            # What stood for class A stands for the class that A becomes.
            return torch.empty_like(target).index_copy_(1, numbers, target)
        if size == 2 and bool(((target == 0) | (target == 1)).all()):
            return 1 - target
        return None

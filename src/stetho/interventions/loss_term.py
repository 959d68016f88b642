"""Train on one term of the loss only.

## What changes
What backward is called on is taken apart into the terms that were added up, in the order in which they were written,
counted from 1. Only the one asked for hands its gradient on; the others are cut off at their last operation, so that
what they alone use gets no gradient at all. The loss keeps its value.

## How it is known
No gradient comes out of the terms that were cut off.

## What it tells
If the symptom stays with one term alone, it is that term's; if it goes away with each alone, the terms work against
each other.

## When it says nothing
Losses of a single term, terms that each have a backward of their own, terms that are added up sample by sample.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Which term of the loss makes the symptom?"
applies = "losses that add up several terms"
values = {"N": "the N-th term only, counted from 1 as they are written"}
example = "1"
alters = "loss"
# Operations that pass a loss on as it is, or scale it.
THROUGH = (
    "MulBackward0", "DivBackward0", "NegBackward0", "ToCopyBackward0", "CloneBackward0", "AliasBackward0",
    "ViewBackward0", "ReshapeAliasBackward0", "SqueezeBackward0", "SqueezeBackward1", "UnsqueezeBackward0",
)  # fmt: skip
TOTALS = ("SumBackward0", "SumBackward1", "MeanBackward0", "MeanBackward1")
GATHERED = ("StackBackward0", "CatBackward0")


def read(value: str) -> int:
    """The number of the term."""
    number = int(value)
    if number < 1:
        raise ValueError("terms are counted from 1")
    return number


def apply(run: Run, value: str) -> None:
    """Cut the other terms off just before backward goes through them."""
    number = read(value)
    marks: list[Any] = []

    def terms(node: Any) -> list[Any]:
        """The nodes whose values were added up, in the order in which they were written."""
        found, ahead = [], [(node, node)]
        while ahead:
            node, whole = ahead.pop()
            name, below = type(node).__name__, [n for n, _ in node.next_functions if n is not None]
            if len(below) == 1 and name in TOTALS and type(below[0]).__name__ in GATHERED:
                name, below = "AddBackward0", [n for n, _ in below[0].next_functions if n is not None]
            elif not alone(node):
                name = ""
            if name in ("AddBackward0", "SubBackward0"):
                ahead.extend((n, n) for n in reversed(below))
            elif name in THROUGH and len(below) == 1:
                # Where no sum comes below it, the term is the whole product.
                ahead.append((below[0], whole))
            else:
                found.append(whole)
        return found

    def alone(node: Any) -> bool:
        """Whether a node has made a single number; what is added sample by sample is no term."""
        size = 1
        for made in getattr(node, "_input_metadata", ()):
            for length in made.shape:
                size *= int(length)
        return size == 1

    def cut(gradients: Any) -> Any:
        run.applied()
        return tuple(None for _ in gradients)

    def after(made: Any, given: Any) -> None:
        if all(g is None or not bool(g.any()) for g in made):
            run.verified()
        else:
            run.contradicted("gradients come out of a term that was cut off")

    @run.on_backward
    def only_one(losses: Any) -> None:
        while marks:
            marks.pop().remove()
        for loss in losses:
            if loss.grad_fn is None or loss.numel() != 1:
                continue
            found = terms(loss.grad_fn)
            if len(found) < 2:
                run.refused("the loss is a single term")
                continue
            if number > len(found):
                run.refused(f"the loss has {len(found)} terms")
                continue
            chosen = found[number - 1]
            for node in {n for n in found if n is not chosen}:
                marks.append(node.register_prehook(cut))
                marks.append(node.register_hook(after))

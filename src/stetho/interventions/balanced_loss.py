"""Let every class count the same in the loss, however many samples it has.

## What changes
cross_entropy and nll_loss that are trained on get class weights, binary_cross_entropy_with_logits gets a weight for
what is positive: one over how often each was seen so far in training, scaled so that a sample weighs 1 on average.

## How it is known
The loss is computed with and without: the numbers differ, unless all classes were seen equally often.

## What it tells
If rare classes are learned now, the loss was content with the frequent ones.

## When it says nothing
Losses that are weighted already, targets that are no classes, and losses that the program writes itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Is the loss content with the frequent classes?"
applies = "cross_entropy, nll_loss and binary_cross_entropy_with_logits without weights"
values = {"": "by the counts seen so far"}
alters = "classes"
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.75, "worse": 0.17, "new-failure": 0.03}}
WEIGHTS = {"cross_entropy": "weight", "nll_loss": "weight", "binary_cross_entropy_with_logits": "pos_weight"}


def apply(run: Run, value: str) -> None:
    """Count the targets that are trained on and hand the loss the weights that follow."""
    torch = run.torch
    counts: dict[tuple[str, int], Any] = {}

    @run.on_loss
    def weigh(call: Any) -> None:
        scores, target = call.input, call.target
        if not call.trained or call.name == "log_softmax" or not torch.is_tensor(target) or not scores.dim():
            return
        if call.name not in WEIGHTS:
            run.refused("the loss knows no classes")
            return
        if call.get("weight") is not None or call.get("pos_weight") is not None:
            run.refused("the loss is weighted already")
            return
        binary = call.name == "binary_cross_entropy_with_logits"
        weights = positive(scores, target) if binary else by_class(call, scores, target)
        if weights is None:
            run.refused("the targets are no classes")
            return
        loss = getattr(torch.nn.functional, call.name)
        with torch.no_grad():
            plain = loss(*call.args, **call.kwargs)
            call.set(WEIGHTS[call.name], weights.to(scores.device, scores.dtype))
            run.applied()
            equal = bool(torch.allclose(weights, torch.ones_like(weights)))
            if equal or not torch.equal(plain, loss(*call.args, **call.kwargs)):
                run.verified()

    def by_class(call: Any, scores: Any, target: Any) -> Any:
        """One weight for each class; a class that was never seen is taken as seen once."""
        if target.is_floating_point():
            return None
        classes = int(scores.shape[1 if scores.dim() > 1 else 0])
        seen = target.detach().reshape(-1).cpu()
        seen = seen[(seen != call.get("ignore_index", -100)) & (seen >= 0) & (seen < classes)]
        known = counts.setdefault((call.name, classes), torch.zeros(classes, dtype=torch.float64))
        known += torch.bincount(seen, minlength=classes)
        there = int((known > 0).sum())
        return known.sum() / (max(1, there) * known.clamp_min(1)) if there else torch.ones(classes)

    def positive(scores: Any, target: Any) -> Any:
        """How many negatives come on one positive, for each column where there are several."""
        if not bool(((target == 0) | (target == 1)).all()):
            return None
        columns = int(target.shape[-1]) if target.dim() > 1 else 1
        rows = target.detach().reshape(-1, columns).double().cpu()
        known = counts.setdefault(("binary", columns), torch.zeros(2, columns, dtype=torch.float64))
        known += torch.stack([rows.sum(dim=0), (1 - rows).sum(dim=0)])
        return known[1].clamp_min(1) / known[0].clamp_min(1)

"""Held-out results beside those of training, by whatever tells them: observed evaluations, or what was printed."""

from __future__ import annotations

from statistics import median

from stetho.curves import shape
from stetho.facts import Evaluations, LossCurve, LossInputs, Printed
from stetho.logged.roles import words_of

# Right answers fewer by more than this share, or a loss of more than so many times as much, is worse.
FEWER, TIMES = 0.05, 1.3
RIGHT = frozenset(("acc", "accuracy", "correct"))


def worse_than_training(
    curve: LossCurve, evaluations: Evaluations | None, inputs: LossInputs | None, printed: Printed | None
) -> bool | None:
    """Whether held-out results are clearly worse than those of training; None where nothing tells."""
    ours, theirs = trained_right(inputs), held_out_right(evaluations, printed)
    if ours is not None and theirs is not None:
        return theirs < ours - FEWER
    held = evaluations.held_out() if evaluations is not None else None
    end = shape(curve.values)
    if held is not None and end is not None and _same_loss(held.function, inputs) and end.end > 0:
        return median(held.losses[-3:]) > TIMES * end.end
    return None


def trained_right(inputs: LossInputs | None) -> float | None:
    """The share of right answers late in training."""
    sites = [s for s in inputs.sites if s.trained and s.accuracy_last is not None] if inputs is not None else []
    return max(sites, key=lambda s: s.looked_at).accuracy_last if sites else None


def held_out_right(evaluations: Evaluations | None, printed: Printed | None) -> float | None:
    """The share of right answers at the last evaluations of held-out data."""
    held = evaluations.held_out() if evaluations is not None else None
    known = [one for one in held.right[-3:] if one is not None] if held is not None else []
    if known:
        return median(known)
    for one in printed.numbers if printed is not None else ():
        if one.kind == "score" and one.split == "validation" and words_of(one.name) & RIGHT:
            return median(one.values[-3:]) / (100.0 if max(one.values) > 1 else 1.0)
    return None


def _same_loss(function: str, inputs: LossInputs | None) -> bool:
    """Whether what is trained on and what is evaluated are one loss."""
    return inputs is not None and any(s.trained and s.function == function for s in inputs.sites)

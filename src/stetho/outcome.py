"""Judging a changed run against the base: same, better, worse, symptom gone or a new failure, never by eye."""

from __future__ import annotations

import math
from dataclasses import dataclass

from stetho.catalogue import Catalogue
from stetho.curves import clearly_lower, shape
from stetho.experiment import ExperimentOutcome
from stetho.facts import LossCurve
from stetho.inquiry import Facts, gravest, judge_all

# A stretch of late training shows these by nature; it is well as long as it stays where the run was.
OF_A_WHOLE_RUN = ("loss-flat", "loss-slow")


@dataclass(frozen=True)
class Judged:
    """What came of a change, in a word and in a sentence with its numbers."""

    outcome: ExperimentOutcome
    detail: str
    before: float | None = None
    after: float | None = None


def judge_outcome(
    base: Facts,
    changed: Facts,
    catalogue: Catalogue,
    *,
    symptom: str,
    applied: bool = True,
    resumed: bool = False,
) -> Judged:
    """same, better, worse, symptom gone or a new failure, with noise taken into account."""
    was, curve = base.get(LossCurve), changed.get(LossCurve)
    values = curve[1].values if curve is not None and isinstance(curve[1], LossCurve) else ()
    before = was[1].values[: len(values)] if was is not None and isinstance(was[1], LossCurve) else ()
    one, two = shape(before), shape(values)
    failed = any(not math.isfinite(v) for v in before)
    level = float("nan") if failed else one.end if one else None
    after = (float("nan") if any(not math.isfinite(v) for v in values) else two.end) if two else None

    def result(outcome: ExperimentOutcome, words: str) -> Judged:
        return Judged(outcome, words, level, after)

    if not applied:
        return result("not-applied", "the change had nothing to act on")
    now = gravest(catalogue, judge_all(catalogue, changed))
    if resumed and now in OF_A_WHOLE_RUN and not clearly_lower(values, before):
        now = "none"
    told = f"final loss {_told(level)} -> {_told(after)}"
    if now in ("crash", "killed") and symptom not in ("crash", "killed"):
        return result("new-failure", f"it fails: {now}")
    if now == "loss-nonfinite" and symptom != "loss-nonfinite":
        return result("new-failure", f"{told}, the loss is no longer finite")
    if two is None:
        return result("undecided", "too few steps to tell")
    # What is not finite is never lower, however low it was before.
    finite = after is not None and math.isfinite(after)
    lower = finite and (failed or clearly_lower(before, values))
    if symptom != "none" and now == "none" and lower:
        return result("symptom-gone", f"{told}, {symptom} gone")
    if lower:
        return result("better", f"{told}, clearly lower" + (f", still {now}" if now != "none" else ""))
    if failed:
        return result("same", f"{told}, still {now}")
    if clearly_lower(values, before):
        return result("worse", f"{told}, clearly higher")
    return result("same", f"{told}, no clear difference")


def _told(level: float | None) -> str:
    return "?" if level is None else f"{level:.4g}"

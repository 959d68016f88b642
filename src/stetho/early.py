"""Ending a changed run once its outcome is decided: nothing it could still show would be called otherwise.

Only a failure is final. A loss that is far below the base's, or far beyond it, may still break or recover before the
bound, and would then be judged otherwise; such runs go on.
"""

from __future__ import annotations

import math

from stetho.executors.protocol import Progress, Watcher
from stetho.facts import LossCurve
from stetho.inquiry import Facts
from stetho.observation import AFTER_NAN
from stetho.yardstick import fact_in

DECIDED = "decided"


def first_reason(*watchers: Watcher) -> Watcher:
    """Several watchers as one; all are told, and the first reason to stop counts."""

    def watch(progress: Progress) -> str | None:
        reasons = [watcher(progress) for watcher in watchers]
        return next((reason for reason in reasons if reason), None)

    return watch


def outcome_decided(base: Facts) -> Watcher:
    """Ends a changed run whose loss has turned to NaN: a new failure, or the same one, whatever comes after."""
    curve = fact_in(base, LossCurve)
    # With several losses, the one that is watched need not be the one that is judged.
    judged = curve is not None and curve.objectives == 1
    first: list[int] = []

    def watch(progress: Progress) -> str | None:
        if progress.loss is None or math.isfinite(progress.loss):
            first.clear()
            return None
        first.append(progress.steps)
        return DECIDED if judged and progress.steps - first[0] >= AFTER_NAN else None

    return watch

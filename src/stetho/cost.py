"""How far an experiment goes, and what it is expected to take."""

from __future__ import annotations

from stetho.facts import LossCurve, RunEnd
from stetho.inquiry import Inquiry

# A run longer than this is not repeated whole for each experiment.
LONG_RUN = 20.0


def step_bound(inquiry: Inquiry) -> int | None:
    """As many steps as the base took; enough beyond a NaN to see it gone; fewer for a long run."""
    end, curve = inquiry.fact(RunEnd, inquiry.ground), inquiry.fact(LossCurve, inquiry.ground)
    if end is None or not end.steps:
        return None
    if curve is not None and curve.nonfinite_step is not None:
        return curve.nonfinite_step * 2 + 60
    if end.seconds > LONG_RUN:
        return max(60, int(end.steps * LONG_RUN / end.seconds))
    return end.steps


def expected_seconds(inquiry: Inquiry) -> float:
    end, bound = inquiry.fact(RunEnd, inquiry.ground), step_bound(inquiry)
    if end is None or not end.steps or bound is None:
        return 10.0
    return max(1.0, end.seconds * min(1.0, bound / end.steps))

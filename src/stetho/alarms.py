"""When to warn about a run under way: a NaN, a loss that diverges, no step for too long. Pure: numbers in, words out.

A false alarm is worse than a late one. So each rule asks for something that healthy runs do not do, and says what.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Literal, TypeAlias, get_args

from stetho.evidence import Place

Kind: TypeAlias = Literal["nan", "stall", "divergence"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# A loss this many times the level it began at, and as large a number, is no noise, no bump and no growing return.
EXPLODED, EXPLODED_STEPS = 1000.0, 50
# Losses that say how likely the right labels are. Their scale cannot move with the targets, as an agent's can.
LIKELIHOODS = frozenset(("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"))
# What guessing between two classes costs; a loss below it has not left for good, wherever it began.
A_GUESS = math.log(2)
# Such a loss twice as high as at the start for a fifth of the run is far beyond any warm-up.
ABOVE_START, ABOVE_STEPS = 2.0, 300
# Or it has learned something, and lost half of that again, for as long.
GIVEN_BACK, GIVEN_BACK_STEPS, OF_THE_RUN = 0.5, 500, 5
# Levels that are averaged before one is called the best: a lucky stretch is no level.
SMOOTHED = 5

# Evaluation and checkpoints make gaps, too, and keep the machine busy meanwhile.
IDLE_SECONDS, BUSY_SECONDS, GAPS = 120.0, 1800.0, 10.0
# Steps that a run must have taken before its pace means anything.
PACED = 5
# A gradient scaler meets infinite gradients on purpose, now and then; not over and over.
SCALER_PATIENCE = 20


@dataclass(frozen=True)
class Alarm:
    """One warning: what is wrong, at which step, and where to look."""

    kind: Kind
    step: int
    text: str
    place: Place | None = None

    def __str__(self) -> str:
        return f"step {self.step}: {self.text}" + (f" ({self.place})" if self.place else "")


def nonfinite(losses: Sequence[float], gradient: float | None) -> str | None:
    """What of a step is NaN or Inf.

    Of several losses one may be bad without harm: a program that drops such batches calls backward and clears.
    """
    bad = [value for value in losses if not math.isfinite(value)]
    spared = gradient is not None and math.isfinite(gradient) and len(bad) < len(losses)
    if bad and not spared:
        return f"loss is {bad[0]}"
    if gradient is not None and not math.isfinite(gradient):
        return f"the gradient's norm is {gradient}"
    return None


def scaler_stuck(left_out: int) -> str | None:
    """Whether a gradient scaler leaves out step after step, so that nothing is learned."""
    if left_out < SCALER_PATIENCE:
        return None
    return f"the gradient is NaN or Inf: its scaler has left out {left_out} steps in a row"


def divergence(first: Sequence[float], levels: Sequence[float], width: int, *, likelihood: bool) -> str | None:
    """Whether the loss has left for good, from its first values and its levels over stretches of `width` steps."""
    if not first:
        return None
    # Of a run that explodes at once, only the very first values tell where it began.
    start = median(first[:3])
    if _held_above(EXPLODED * max(1.0, abs(start)), levels, width, EXPLODED_STEPS):
        return _above(EXPLODED, start, levels, EXPLODED_STEPS)
    start = median(first)
    if not likelihood or start <= 0:
        return None
    long = max(ABOVE_STEPS, len(levels) * width // OF_THE_RUN)
    if _held_above(ABOVE_START * max(start, A_GUESS), levels, width, long):
        return _above(ABOVE_START, start, levels, long)
    return _given_back(start, levels, width)


def _held_above(limit: float, levels: Sequence[float], width: int, steps: int) -> bool:
    count = math.ceil(steps / width)
    return len(levels) >= count and min(levels[-count:]) > limit


def _above(factor: float, start: float, levels: Sequence[float], steps: int) -> str:
    return f"loss diverges: {levels[-1]:.3g}, over {factor:.0f} times the {start:.3g} it began at, for {steps} steps"


def _given_back(start: float, levels: Sequence[float], width: int) -> str | None:
    long = max(GIVEN_BACK_STEPS, len(levels) * width // OF_THE_RUN)
    before = levels[: -math.ceil(long / width)]
    if len(before) < SMOOTHED:
        return None
    best = min(fmean(before[i : i + SMOOTHED]) for i in range(len(before) - SMOOTHED + 1))
    limit = max(A_GUESS, 2 * best, best + GIVEN_BACK * (start - best))
    if best > start / 2 or not _held_above(limit, levels, width, long):
        return None
    return (
        f"loss diverges: {levels[-1]:.3g} after a best level of {best:.3g}; more than half of the way down from "
        f"{start:.3g} has been lost again for {long} steps"
    )


def stall(quiet: float, longest: float, steps: int, *, busy: bool, after: float | None = None) -> str | None:
    """Whether the next step is overdue. `after` is the user's own limit, which then counts alone."""
    if after is not None:
        return f"no step for {quiet:.0f} s, the limit is {after:.0f} s" if steps and quiet > after else None
    limit = max(BUSY_SECONDS if busy else IDLE_SECONDS, GAPS * longest)
    if steps < PACED or quiet <= limit:
        return None
    doing = "it still computes" if busy else "its processes are idle"
    return f"no step for {quiet:.0f} s, the longest wait before was {longest:.3g} s; {doing}"

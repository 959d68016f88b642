"""The loss beside the learning rate: whether it was still falling when the rate went, and what it did after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stetho.evidence import Source
from stetho.facts import RateAndLoss
from stetho.logged.assembly import Curve
from stetho.logged.known import Known

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stetho.series import Floats

# The rate is gone below the first share of its highest; it still teaches something above the second.
GONE, ALIVE = 1e-3, 0.15
LEAST_BEFORE, LEAST_AFTER = 5, 10
# A rate that ends in the last tenth has done its work.
LATEST = 0.9


def rate_and_loss(loss: Curve, rate: Curve) -> Iterator[Known]:
    """What the loss does around the end of the rate; nothing where the rate does not end before the run."""
    found = around_its_end(rate.steps, rate.values, loss.steps, loss.values)
    if found is None:
        return
    fact = replace(found, gone_epoch=epoch_at(rate, found.gone_step))
    at_line = rate.placed.series.at
    place = int(np.searchsorted(rate.steps, fact.gone_step))
    line = int(at_line[place]) if at_line is not None and rate.placed.series.unit != "offset" else None
    yield Known(fact, told(fact, rate.name, loss.name), Source(file=rate.source.file, line=line))


def told(fact: RateAndLoss, rate: str, loss: str) -> str:
    return (
        f"{rate} is below a thousandth of its highest ({fact.peak:.3g}) from step {fact.gone_step} on; {loss} goes "
        f"from {fact.before:.4g} to {fact.at:.4g} before that, and is {fact.end:.4g} at the end"
    )


def around_its_end(
    rate_steps: NDArray[Any], values: NDArray[Any], loss_steps: NDArray[Any], loss_values: NDArray[Any]
) -> RateAndLoss | None:
    """The loss before, at and after the step from which on the rate is gone; None where it is not gone early."""
    if len(values) < 5 or not np.isfinite(values).all() or float(np.max(values)) <= 0:
        return None
    peak = float(np.max(values))
    last_there = int(np.flatnonzero(values > GONE * peak)[-1])
    if last_there + 2 >= LATEST * len(values):
        return None
    gone = int(rate_steps[last_there + 1])
    first = int(rate_steps[int(np.argmax(values >= 0.5 * peak))])
    faded = int(rate_steps[int(np.flatnonzero(values > ALIVE * peak)[-1])])
    known = np.isfinite(loss_values)
    steps, losses = (loss_steps, loss_values) if known.all() else (loss_steps[known], loss_values[known])
    begin, fade, end = np.searchsorted(steps, [first, faded + 1, gone]).tolist()
    before, after = losses[begin:fade], losses[end:]
    if len(before) < LEAST_BEFORE or len(after) < LEAST_AFTER:
        return None
    noise = max(float(np.median(np.abs(after - np.median(after)))) * 1.4826, 1e-12)
    third = max(2, len(after) // 3)
    early, late = float(np.median(after[:third])), float(np.median(after[-third:]))
    at = losses[max(0, fade - 1) :][:third]
    return RateAndLoss(
        peak=peak, last=float(values[-1]), gone_step=gone, share=len(after) / len(losses), alive=len(before),
        before=float(np.median(before[: max(1, len(before) // 4)])), at=float(np.median(at)), end=late,
        fell=falls(before[2 * len(before) // 5 :], noise), moved=(early - late) / float(noise * np.sqrt(3.2 / third)),
        stride=max(1, int(np.median(np.diff(rate_steps)))),
    )  # fmt: skip


def falls(values: Floats, noise: float) -> float:
    """How steeply a stretch falls, in standard errors of the slope of a straight line through it."""
    if len(values) < 3:
        return 0.0
    places = np.arange(len(values)) - (len(values) - 1) / 2
    return -float(places @ values) / float(np.sqrt(places @ places)) / noise


def epoch_at(rate: Curve, step: int) -> float | None:
    epochs = rate.placed.series.epochs
    if epochs is None:
        return None
    found = float(epochs[min(int(np.searchsorted(rate.steps, step)), len(epochs) - 1)])
    return found if np.isfinite(found) else None

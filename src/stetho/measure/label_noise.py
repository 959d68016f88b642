"""How far the loss of a batch lies from its level by which labels the batch happens to hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from stetho.measure.chance import BINARY, LIKELIHOODS, label_counts, moments, objective, positive_weight
from stetho.recording import Recording


@dataclass(frozen=True)
class LabelNoise:
    """What the draw of its labels makes of the loss of one batch, answered with the frequencies of the classes."""

    spread: float
    """The standard deviation of the loss."""
    rarest: float
    """What one label of the rarest class adds to it."""


def label_noise(recording: Recording) -> LabelNoise | None:
    """The noise of batches drawn by chance; None where the loss is not one of classes, or they have weights."""
    calls = objective(recording)
    if not calls or any(c.get("sw") or c.get("cw") for c in calls):
        return None
    if calls[0]["fn"] in LIKELIHOODS:
        counts = label_counts(calls)
        sizes = [sum(c["hist"]) for c in calls if c.get("hist")]
        total = sum(counts.values())
        costs = [(count / total, -math.log(count / total)) for count in counts.values()]
    elif calls[0]["fn"].startswith(BINARY):
        targets = moments(calls)
        sizes = [int(c["m"]) for c in calls if c.get("m")]
        if targets is None or not 0 < targets[0] < 1:
            return None
        mean, weight = targets[0], positive_weight(calls)
        answer = weight * mean / (weight * mean + 1 - mean)
        costs = [(mean, -weight * math.log(answer)), (1 - mean, -math.log(1 - answer))]
    else:
        return None
    if not sizes or len(costs) < 2:
        return None
    level, size = sum(share * cost for share, cost in costs), median(sizes)
    variance = sum(share * (cost - level) ** 2 for share, cost in costs)
    return LabelNoise(math.sqrt(variance / size), max(cost for _, cost in costs) / size)

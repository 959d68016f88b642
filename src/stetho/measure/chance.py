"""What answering by chance would cost, in terms of the value that backward is called on."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from statistics import median
from typing import Any

from stetho.measure.series import known
from stetho.recording import Recording, Step

LIKELIHOODS = ("cross_entropy", "nll_loss")
BINARY = "binary_cross_entropy"


def objective(recording: Recording) -> list[dict[str, Any]]:
    """The calls of the one loss that is trained on; none when there are several, or when it is not a mean."""
    calls = [c for c in recording.of("loss-call") if c["grad"] and c["fn"] != "log_softmax"]
    if len({(c["fn"], c["site"]) for c in calls}) != 1 or calls[0].get("red") != "mean":
        return []
    return calls


def label_counts(calls: list[dict[str, Any]]) -> Counter[int]:
    """How often each class was the target of these calls."""
    counts: Counter[int] = Counter()
    for call in calls:
        counts.update(dict(enumerate(call.get("hist") or [])))
    return Counter({label: count for label, count in counts.items() if count})


def moments(calls: list[dict[str, Any]]) -> tuple[float, float] | None:
    """Mean and variance of the targets of these calls, where they are numbers."""
    seen = [known((c.get("m"), c.get("mean"), c.get("sq"))) for c in calls]
    seen = [s for s in seen if len(s) == 3 and math.isfinite(s[2])]
    size = sum(m for m, _, _ in seen)
    if not size:
        return None
    mean = sum(m * average for m, average, _ in seen) / size
    square = sum(m * squares for m, _, squares in seen) / size
    return mean, square - mean * mean


def chance_level(recording: Recording) -> tuple[float | None, str]:
    """The loss of always answering with the label frequencies, for the busiest loss that is trained on."""
    calls = objective(recording)
    if not calls:
        return None, ""
    name = calls[0]["fn"]
    if name in LIKELIHOODS:
        shares = label_shares(calls)
        if not shares:
            return None, ""
        entropy = -sum(share * math.log(share) for share in shares)
        return entropy, f"entropy of the labels over {len(shares)} classes"
    targets = moments(calls)
    if targets is None:
        return None, ""
    mean, variance = targets
    if name == "mse_loss":
        return variance, "variance of the targets"
    if name.startswith(BINARY) and 0 < mean < 1 and not any(c.get("sw") for c in calls):
        each = known(c.get("ent") for c in calls)
        if each and positive_weight(calls) == 1.0:
            return median(each), "entropy of the binary labels, each output for itself"
        return binary_level(mean, positive_weight(calls)), "entropy of the binary labels"
    return None, ""


def label_shares(calls: list[dict[str, Any]]) -> list[float]:
    """The share of each class in what the loss counts: by its weights, and with its targets smoothed."""
    counts = label_counts(calls)
    weights, smoothing = calls[0].get("cw") or [], float(calls[0].get("ls") or 0.0)
    weighed = {k: n * (weights[k] if k < len(weights) else 1.0) for k, n in counts.items()}
    total = sum(weighed.values())
    if total <= 0:
        return []
    classes = range(int(calls[0].get("k") or 0)) if smoothing else counts
    shares = [(1 - smoothing) * weighed.get(k, 0.0) / total for k in classes]
    return [share for s in shares if (share := s + (smoothing / len(shares) if smoothing else 0.0)) > 0]


def positive_weight(calls: list[dict[str, Any]]) -> float:
    return float(calls[0].get("pw") or 1.0)


def binary_level(mean: float, weight: float, answer: float | None = None) -> float:
    """The loss of one answer for all, the best one where none is given; a positive counts as often as it weighs."""
    heavy = weight * mean
    answer = heavy / (heavy + 1 - mean) if answer is None else answer
    return -(heavy * math.log(answer) + (1 - mean) * math.log(1 - answer))


def uniform_level(recording: Recording) -> tuple[float | None, int | None]:
    """The loss of calling every class equally likely, and how many classes there are."""
    calls = objective(recording)
    if not calls:
        return None, None
    if calls[0]["fn"].startswith(BINARY):
        targets = moments(calls)
        weight = positive_weight(calls)
        return (math.log(2) if weight == 1.0 or targets is None else binary_level(targets[0], weight, 0.5)), 2
    classes = calls[0].get("k") or len(calls[0].get("hist") or [])
    return (math.log(classes), classes) if calls[0]["fn"] in LIKELIHOODS and classes > 1 else (None, None)


def share_of_loss(recording: Recording, steps: list[Step], sites: set[int]) -> float | None:
    """The value that backward is called on, over the loss that was computed; None when they do not go together.

    What backward is called on may be the loss divided by the micro-batches, or a sum of several terms. A step
    without terms is one whose loss is what backward was called on.
    """
    if not _computed(recording, steps):
        return 1.0
    usual = factor_of_loss(recording, steps, sites)
    if usual is None or usual <= 0:
        return None
    return 1.0 if abs(usual - 1) < 0.1 else usual


def factor_of_loss(recording: Recording, steps: list[Step], sites: set[int]) -> float | None:
    """By what the loss was multiplied before backward, its sign included, where that is the same all the time."""
    computed = _computed(recording, steps)
    if not computed and any(c["grad"] and c["fn"] != "log_softmax" for c in recording.of("loss-call")):
        return 1.0
    shares = []
    for step in steps:
        given, made = [v for s, v in step.losses if s in sites], computed.get(step.index, [])
        if given and len(given) == len(made) and all(map(math.isfinite, given + made)) and sum(made) != 0:
            shares.append(sum(given) / sum(made))
    if not shares:
        return None
    usual = median(shares)
    near = [s for s in shares if abs(s - usual) <= 0.1 * abs(usual)]
    return usual if len(near) >= 0.8 * len(shares) else None


def _computed(recording: Recording, steps: list[Step]) -> dict[int, list[float]]:
    """The values of the loss calls of each step that took part; earlier observers wrote them as events of their own."""
    found: dict[int, list[float]] = defaultdict(list)
    for value in recording.of("loss-value"):
        found[value["step"]].append(float(value["v"]))
    if found or not any(s.terms for s in steps):
        return found
    return {s.index: [v for _, v in s.terms or s.losses] for s in steps}

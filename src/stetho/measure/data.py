"""The data as it enters the model: scale, samples to look at, and labels."""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, pairwise
from statistics import fmean, median
from typing import Any

from stetho.facts import ClassCount, Feature, InputScale, Labels, RawSample, RawSamples
from stetho.measure.chance import label_counts, moments
from stetho.measure.loss_calls import sites
from stetho.measure.series import Measured, known, most_frequent, plural, shape_of
from stetho.recording import Recording

SHOWN_SAMPLES = 16
SHOWN_VALUES = 32
SHOWN_LABELS = 8


def matrix(body: dict[str, Any]) -> Any:
    """An array as the observer packs it: single precision, in base64."""
    import numpy as np

    return np.frombuffer(base64.b64decode(body["b64"]), dtype="<f4").reshape(body["shape"])


def input_scale(recording: Recording) -> Iterator[Measured]:
    entered = recording.of("input")
    # Of several models that hand on to each other, the first is the one that data enters.
    seen = [i for i in entered if i.get("site") == entered[0].get("site")]
    if not seen:
        return
    size = sum(i["n"] for i in seen)
    spreads = known(i.get("spread") for i in seen)
    features = _features(seen)
    fact = InputScale(
        mean=fmean(float(i["mean"]) for i in seen),
        std=fmean(float(i["std"]) for i in seen),
        low=min(float(i["low"]) for i in seen),
        high=max(float(i["high"]) for i in seen),
        feature_spread=fmean(spreads) if spreads else None,
        nonfinite=sum(i["bad"] for i in seen) or sum(o.get("phase") == "data" for o in recording.of("origin")),
        where=recording.place(seen[0].get("site")),
        samples=size,
        discrete=all(i.get("discrete") for i in seen),
        constant=_constant(seen, features),
        features=features,
        shape=shape_of(seen[0], "shape"),
        dtype=seen[0].get("dtype"),
        usual_mean=median(float(i["mean"]) for i in seen),
        usual_std=median(float(i["std"]) for i in seen),
        usual_spread=median(spreads) if spreads else None,
        at_low=median(lows) if (lows := known(i.get("at_low") for i in seen)) else None,
        at_high=median(highs) if (highs := known(i.get("at_high") for i in seen)) else None,
    )
    if fact.discrete:
        yield fact, f"the model's input is whole numbers, {fact.low:.0f} to {fact.high:.0f}"
        return
    bad = f", {fact.nonfinite} values NaN or Inf" if fact.nonfinite else ""
    bad += f", {plural(fact.constant, 'feature')} constant" if fact.constant else ""
    yield (
        fact,
        f"the model's input has mean {fact.mean:.3g}, std {fact.std:.3g}, range {fact.low:.3g} to {fact.high:.3g}{bad}",
    )


def _features(seen: list[dict[str, Any]]) -> tuple[Feature, ...]:
    """Mean and spread of each feature over all batches together; none when the batches do not go together."""
    rows = [(int(i["n"]), known(i["fmean"]), known(i["fstd"])) for i in seen if i.get("fmean") and i.get("fstd")]
    sizes = {len(values) for _, *columns in rows for values in columns}
    if len(sizes) != 1:
        return ()
    total = sum(n for n, _, _ in rows) or 1
    found = []
    for k in range(sizes.pop()):
        mean = sum(n * means[k] for n, means, _ in rows) / total
        within = sum(n * stds[k] ** 2 for n, _, stds in rows) / total
        between = sum(n * (means[k] - mean) ** 2 for n, means, _ in rows) / total
        # Equal means leave a rounding error behind, which is no spread.
        same = len({means[k] for _, means, _ in rows}) == 1
        found.append(Feature(mean, math.sqrt(within + (0.0 if same else between))))
    return tuple(found)


def _constant(seen: list[dict[str, Any]], features: tuple[Feature, ...]) -> int | None:
    """Features with one value in all batches; where only counts per batch are known, the smallest bounds it."""
    if features:
        return sum(f.std <= 1e-12 * max(1.0, abs(f.mean)) for f in features)
    told = [i["constant"] for i in seen if i.get("constant") is not None]
    counts = [len(c) if isinstance(c, list) else int(c) for c in told]
    return min(counts) if counts else None


def raw_samples(recording: Recording) -> Iterator[Measured]:
    """A few whole samples, each with what a look at it needs."""
    found: list[RawSample] = []
    for body in recording.of("raw"):
        inputs = matrix(body["x"])
        targets = matrix(body["y"]) if body.get("y") else None
        for position in range(len(inputs) if inputs.ndim else 0):
            label = targets[position] if targets is not None and targets.ndim and position < len(targets) else None
            found.append(_raw(int(body["step"]), body.get("dtype"), inputs[position], label))
    if found:
        first = found[0]
        shape = "x".join(map(str, first.shape)) or "one number"
        told = f"{plural(len(found[:SHOWN_SAMPLES]), 'sample')} kept as they entered the model"
        yield (
            RawSamples(tuple(found[:SHOWN_SAMPLES])),
            f"{told}; the first is {shape}, from {first.low:.3g} to {first.high:.3g}",
        )


def _raw(step: int, dtype: str | None, values: Any, label: Any) -> RawSample:
    flat = values.astype("float64").reshape(-1)
    empty = flat.size == 0
    return RawSample(
        step=step,
        shape=tuple(int(n) for n in values.shape),
        dtype=dtype,
        mean=math.nan if empty else float(flat.mean()),
        std=math.nan if empty else float(flat.std()),
        low=math.nan if empty else float(flat.min()),
        high=math.nan if empty else float(flat.max()),
        values=tuple(map(float, flat[:SHOWN_VALUES])),
        label=None if label is None else tuple(map(float, label.reshape(-1)[:SHOWN_LABELS])),
    )


def labels(recording: Recording) -> Iterator[Measured]:
    """How often each class comes and in which order; the range of targets that are numbers."""
    calls = _busiest(recording, "hist") or _busiest(recording, "sq")
    ordered = [b["labels"] for b in recording.of("batch") if b.get("phase") == "train" and b.get("labels")]
    tested = [b["labels"] for b in recording.of("batch") if b.get("phase") == "eval" and b.get("labels")]
    counts = label_counts(calls) or Counter(label for batch in ordered for label in batch)
    numbers = moments(calls) if not counts else None
    if not counts and numbers is None:
        return
    rarest = min(counts.items(), key=lambda item: item[1], default=None)
    low, high = known(c.get("tlow") for c in calls), known(c.get("thigh") for c in calls)
    fact = Labels(
        classes=len(counts) if counts else None,
        counted=sum(counts.values()),
        counts=most_frequent(counts),
        rarest=ClassCount(*rarest) if rarest else None,
        evaluated=most_frequent(Counter(label for batch in tested for label in batch)),
        **_order(ordered),
        mean=numbers[0] if numbers else None,
        std=math.sqrt(max(0.0, numbers[1])) if numbers else None,
        low=min(low) if numbers and low else None,
        high=max(high) if numbers and high else None,
    )
    yield fact, _told(fact)


def _busiest(recording: Recording, key: str) -> list[dict[str, Any]]:
    """The calls of the trained loss that told most often what its targets are; heads are not mixed."""
    found = [[c for c in calls if c["grad"] and c.get(key) is not None] for calls in sites(recording).values()]
    return max(found, key=len, default=[])


def _order(batches: list[list[int]]) -> dict[str, Any]:
    """Neighbouring labels within batches, beside what random order would give."""
    pairs = [pair for batch in batches for pair in pairwise(batch)]
    counts = Counter(label for batch in batches for label in batch)
    total = sum(counts.values())
    if not pairs:
        return {}
    shares = [count / total for count in counts.values()]
    return {
        "neighbours": len(pairs),
        "same": fmean(a == b for a, b in pairs),
        "expected": sum(c * (c - 1) for c in counts.values()) / (total * (total - 1)),
        "longest_run": max(len(list(run)) for batch in batches for _, run in groupby(batch)),
        "batches": len(batches),
        "classes_per_batch": fmean(len(set(batch)) for batch in batches),
        "expected_per_batch": fmean(sum(1 - (1 - p) ** len(batch) for p in shares) for batch in batches),
    }


def _told(fact: Labels) -> str:
    if fact.classes is None:
        return f"the targets have mean {fact.mean:.3g} and std {fact.std:.3g}"
    most = fact.counts[0]
    share = most.count / fact.counted
    told = f"{plural(fact.classes, 'class')} among {fact.counted} labels, the most frequent {share:.0%}"
    if fact.same is None or fact.expected is None:
        return told
    return f"{told}; neighbours in a batch are alike in {fact.same:.0%}, in random order {fact.expected:.0%} would be"

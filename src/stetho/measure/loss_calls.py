"""Loss functions as they are called: what goes in, and which classes come out."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from statistics import fmean, median
from typing import Any

from stetho.facts import (
    ClassRecall,
    ClassRecalls,
    ClassShare,
    LossInput,
    LossInputs,
    Meeting,
    PlainLoss,
    PredictedClasses,
    Predictions,
)
from stetho.measure.chance import moments
from stetho.measure.series import FEW, Measured, known, plural, shape_of
from stetho.recording import Recording

Calls = list[dict[str, Any]]
MOST_CLASSES = 20
MOST_RECALLED = 50


def sites(recording: Recording) -> dict[tuple[str, int], Calls]:
    """The calls that were looked at, by function and call site."""
    groups: dict[tuple[str, int], Calls] = defaultdict(list)
    for call in recording.of("loss-call"):
        groups[(call["fn"], call["site"])].append(call)
    return groups


def trained_or_all(calls: Calls) -> Calls:
    """The calls that backward went through, where there are any: an evaluation does not speak for the training."""
    return [c for c in calls if c["grad"]] or calls


def loss_inputs(recording: Recording) -> Iterator[Measured]:
    found = [one_loss(recording, name, site, calls) for (name, site), calls in sites(recording).items()]
    if found:
        told = [
            f"{s.function} at {s.where}: rows sum to 1 in {s.normalised} of {s.looked_at} calls looked at"
            if s.normalised
            else f"{s.function} at {s.where}"
            for s in found
        ]
        yield LossInputs(tuple(found)), "; ".join(told)


def one_loss(recording: Recording, name: str, site: int, calls: Calls) -> LossInput:
    looked = trained_or_all(calls)
    first = looked[0]
    made = next((c for c in looked if "by" in c), {})
    accuracy = known(c.get("acc") for c in looked)
    shape = shape_of(first, "shape")
    stretched = [bool(c["broadcast"]) for c in looked if c.get("broadcast") is not None]
    return LossInput(
        function=name,
        where=recording.place(site),
        looked_at=len(looked),
        normalised=sum(1 for c in looked if c.get("norm")),
        classes=first.get("k"),
        trained=any(c["grad"] for c in calls),
        reduction=first.get("red"),
        batch=shape[0] if shape else None,
        produced_by=made.get("by"),
        produced_at=recording.places(made.get("by_at")),
        accuracy_first=fmean(accuracy[:FEW]) if accuracy else None,
        accuracy_last=fmean(accuracy[-FEW:]) if accuracy else None,
        shape=shape,
        dtype=first.get("dtype"),
        target_shape=next((shape_of(c, "tshape") for c in looked if "tshape" in c), None),
        target_dtype=next((c["tdtype"] for c in looked if c.get("tdtype")), None),
        broadcast=sum(stretched) if stretched else None,
        low=_extreme(looked, "low", min),
        high=_extreme(looked, "high", max),
        target_low=_extreme(looked, "tlow", min),
        target_high=_extreme(looked, "thigh", max),
        **_usual(looked),
        ignored=_ignored(looked),
        not_logs=_count(looked, "logs", False),
        off_one=median(off) if (off := known(c.get("off") for c in looked)) else None,
        over_batch=_count(looked, "over", True),
        not_shares=_count(looked, "shares", False),
        left_out=next((c["left_out"] for c in looked if c.get("left_out") is not None), None),
        accuracy_whole=fmean(whole[-FEW:]) if (whole := known(c.get("whole_acc") for c in looked)) else None,
        **_sequence(looked),
        parted_last=fmean(parted[-FEW:]) if (parted := known(c.get("parted") for c in looked)) else None,
    )


def _usual(calls: Calls) -> dict[str, Any]:
    """Mean and spread of the targets in the median call, which a few extreme ones do not move."""
    each = [found for call in calls if (found := moments([call])) is not None]
    if not each:
        return {}
    means, variances = zip(*each, strict=True)
    return {"target_mean": median(means), "target_spread": math.sqrt(max(0.0, median(variances)))}


def _count(calls: Calls, key: str, value: bool) -> int | None:
    told = [c[key] for c in calls if c.get(key) is not None]
    return sum(one is value for one in told) if told else None


def _sequence(calls: Calls) -> dict[str, Any]:
    """How targets follow the tokens of the input, on average over the calls, and the ends that they share."""
    follows = [c for c in calls if c.get("shift")]
    told = follows or calls
    ends = Counter(c["tail"] for c in told if c.get("tail") is not None)
    fields: dict[str, Any] = {}
    if follows:
        fields = {
            "shifts": _mean_shifts([c["shift"] for c in follows]),
            "own_shifts": _mean_shifts([c["own"] for c in follows if c.get("own")]),
            "sequences": max(int(c.get("among") or 1) for c in follows),
        }
    if ends and ends.most_common(1)[0][1] >= 0.8 * len(told):
        value = ends.most_common(1)[0][0]
        same = [c for c in told if c.get("tail") == value]
        fields["tail"] = value
        fields["tail_counted"] = fmean(float(c["tail_counted"]) for c in same)
        fields["tail_lengths"] = max(int(c["tail_lengths"]) for c in same)
        fields["tail_inside"] = fmean(float(c["tail_inside"]) for c in same)
    fills = [c for c in told if c.get("filled")]
    # Filling is there in nearly all batches, or it is none.
    if fills and len(fills) >= 0.8 * len(told):
        fields["filled"] = fmean(float(c["filled"]) for c in fills)
        fields["filled_with"] = Counter(int(c["filled_with"]) for c in fills).most_common(1)[0][0]
        fields["filled_lengths"] = max(int(c["filled_lengths"]) for c in fills)
    return fields


def _mean_shifts(rows: list[list[float | None]]) -> tuple[float | None, ...]:
    columns = [known(row[k] for row in rows) for k in range(len(rows[0]))] if rows else []
    return tuple(fmean(values) if values else None for values in columns)


def plain_loss(recording: Recording) -> Iterator[Measured]:
    """Where a loss of plain operations brings outputs and data together."""
    groups: dict[tuple[str, int], Calls] = defaultdict(list)
    for one in recording.of("meeting"):
        groups[one["op"], one["site"]].append(one)
    if groups:
        found = tuple(_meeting(recording, op, site, seen) for (op, site), seen in groups.items())
        lines = ", ".join(str(place) for place in dict.fromkeys(m.where for m in found))
        yield PlainLoss(found), f"outputs meet data in plain operations at {lines}"


def _meeting(recording: Recording, op: str, site: int, seen: Calls) -> Meeting:
    first, accuracy = seen[0], known(m.get("acc") for m in seen)
    off = [m for m in seen if m.get("along") is not None]
    return Meeting(
        operation=op,
        where=recording.place(site),
        looked_at=len({m["step"] for m in seen}),
        shape=tuple(first["shape"]),
        data_shape=tuple(first["oshape"]),
        result_shape=tuple(first["out"]),
        data_dtype=first.get("odtype"),
        data_low=_extreme(seen, "olow", min),
        data_high=_extreme(seen, "ohigh", max),
        whole=all(m.get("whole", False) for m in seen),
        left=bool(first.get("left", True)),
        made_by=first.get("by"),
        classes=first.get("k"),
        normalised=sum(1 for m in seen if m.get("norm")),
        accuracy_first=fmean(accuracy[:FEW]) if accuracy else None,
        accuracy_last=fmean(accuracy[-FEW:]) if accuracy else None,
        softmax_axis=off[0]["along"] if off else None,
        class_axis=off[0]["axis"] if off else None,
        softmax_off=len({m["step"] for m in off}),
        softmax_at=recording.places(off[0].get("soft_at")) if off else (),
    )


def _extreme(calls: Calls, key: str, choose: Any) -> float | None:
    """The smallest or largest value over the calls; NaN when one of them has it."""
    values = known(c.get(key) for c in calls)
    if any(map(math.isnan, values)):
        return math.nan
    return float(choose(values)) if values else None


def _ignored(calls: Calls) -> float | None:
    """Share of the targets that are left out, where both counts are known."""
    left_out = targets = 0
    for call in calls:
        if call.get("ignored") is None:
            continue
        shape = shape_of(call, "tshape")
        size = math.prod(shape) if shape is not None else sum(call.get("hist") or []) + call["ignored"]
        left_out += call["ignored"]
        targets += size
    return left_out / targets if targets else None


def predictions(recording: Recording) -> Iterator[Measured]:
    """The classes that the model answers, site by site."""
    found = [
        one
        for (name, site), calls in sites(recording).items()
        if (one := _predicted(recording, name, site, [c for c in trained_or_all(calls) if c.get("pred")])) is not None
    ]
    if found:
        found.sort(key=lambda one: (not one.trained, -one.calls))
        best = found[0]
        yield (
            Predictions(tuple(found)),
            f"the model answers {plural(best.distinct_last, 'class')} at {best.where}, the most frequent one "
            f"{best.most_last:.0%} of the time at the end, {best.most_first:.0%} at the start",
        )


def _predicted(recording: Recording, name: str, site: int, calls: Calls) -> PredictedClasses | None:
    if not calls:
        return None
    first, last = _counts(calls[:FEW], "pred"), _counts(calls[-FEW:], "pred")
    right = _counts(calls[-FEW:], "hist")
    total, labels = sum(last.values()), sum(right.values())
    if not total or not first:
        return None
    return PredictedClasses(
        function=name,
        where=recording.place(site),
        trained=any(c["grad"] for c in calls),
        calls=len(calls),
        distinct_first=len(first),
        distinct_last=len(last),
        most_first=max(first.values()) / sum(first.values()),
        most_last=max(last.values()) / total,
        shares=tuple(
            ClassShare(label, count / total, right[label] / labels if labels else None)
            for label, count in last.most_common(MOST_CLASSES)
        ),
    )


def _counts(calls: Calls, key: str) -> Counter[int]:
    counts: Counter[int] = Counter()
    for call in calls:
        counts.update({k: n for k, n in enumerate(call.get(key) or []) if n})
    return counts


def class_recalls(recording: Recording) -> Iterator[Measured]:
    """How well each class is found late in the run, at the loss that was trained on most."""
    found = [
        (name, site, [c for c in calls if c["grad"] and (c.get("hits") or c.get("hits2"))])
        for (name, site), calls in sites(recording).items()
    ]
    name, site, calls = max(found, key=lambda one: len(one[2]), default=("", 0, []))
    late = calls[len(calls) // 2 :]
    if not late:
        return
    binary = "hits2" in late[0]
    given, answered, hits = (
        _counts(late, key) for key in (("given2", "pred2", "hits2") if binary else ("hist", "pred", "hits"))
    )
    classes = tuple(ClassRecall(k, n, answered[k], hits[k]) for k, n in given.most_common(MOST_RECALLED))
    told = ", ".join(f"{one.label}: {one.hits} of {one.given}" for one in classes[:6])
    yield ClassRecalls(name, recording.place(site), len(late), classes), f"right answers by class, late: {told}"

"""How the inputs of evaluation differ from those of training, beside how parts of the training data differ."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, log2
from statistics import median
from typing import Any

from stetho.facts import FeatureShift, InputShift
from stetho.measure.data import matrix
from stetho.measure.loading import prints
from stetho.measure.series import Measured
from stetho.recording import Recording

# Samples of each side that are needed, parts of the training data that are tried, and features that are told.
LEAST, PARTS, TOLD = 24, 12, 5
# Batches of evaluation that the observer looks at; where there were as many, there may have been more.
LOOKED_AT = 200
# A batch weighs at most so many times as much as others.
HEAVIEST = 2
# Values from which on a feature is measured and not counted, and the share of a spread that rounding leaves.
MANY, ROUNDING = 8, 1e-6
SIZE = tuple[float, float, float, float, float]
"""Centre and spread in training and in evaluation, and how far the two are apart."""


@dataclass(frozen=True)
class Kept:
    """Samples of one batch, a row of numbers each."""

    step: int
    rows: Any
    prints: tuple[str, ...]
    shape: tuple[int, ...]
    apart: int
    tokens: bool

    @property
    def form(self) -> tuple[object, ...]:
        """What two batches have in common that can be compared feature by feature."""
        flat = len(self.shape) == 2
        return (len(self.shape), self.shape[channels_at(self.shape)], self.apart if flat else 0, self.tokens)


def input_shift(recording: Recording) -> Iterator[Measured]:
    """Centres and spreads of each feature on both sides; training data that is evaluated is left out."""
    train, held = sides(recording)
    forms = Counter(one.form for one in held for _ in one.rows)
    shared = [form for form, _ in forms.most_common() if any(one.form == form for one in train)]
    if not shared:
        return
    train, held = ([one for one in side if one.form == shared[0]] for side in (train, held))
    fact = compared(even(train), even(held))
    if fact is None:
        return
    passes = sum(b.get("phase") == "eval" for b in recording.of("batch"))
    steps = {int(b["step"]) for b in recording.of("batch") if b.get("phase") == "eval"}
    fact = replace(fact, whole=passes < LOOKED_AT or len(steps) > 1)
    most = fact.largest[0]
    told = f"{fact.evaluated} samples of evaluation beside {fact.trained} of training"
    if fact.tokens:
        yield (
            fact,
            f"{told}: {most.size:.0%} of the tokens are others, {fact.usual_largest:.0%} in parts of the training",
        )
        return
    yield (
        fact,
        f"{told}: feature {most.feature} is {most.trained:.3g} ± {most.trained_spread:.3g} in training and "
        f"{most.evaluated:.3g} ± {most.evaluated_spread:.3g} in evaluation",
    )


def sides(recording: Recording) -> tuple[list[Kept], list[Kept]]:
    """What was kept of training, and of evaluation that is not of training data."""
    trained = {one for b in recording.of("batch") if b.get("phase") == "train" for one in prints(b)}
    train, held = [], []
    for body in recording.of("rows"):
        x, h = matrix(body["x"]), tuple(map(str, body["h"]))
        shape = tuple(int(n) for n in body.get("shape") or x.shape)
        if x.ndim != 2 or len(h) != len(x) or len(shape) < 2:
            continue
        one = Kept(int(body["step"]), x, h, shape, int(body.get("apart") or 1), bool(body.get("discrete")))
        if body["phase"] == "train" or sum(p in trained for p in h) > len(h) / 2:
            train.append(one)
        else:
            held.append(one)
    return train, held


def even(batches: Sequence[Kept]) -> list[Kept]:
    """Each sample once, and of one batch of a pass not a much larger share than of the others."""
    by_pass: dict[int, list[float]] = defaultdict(list)
    for one in batches:
        by_pass[one.step].append(len(one.rows) / one.shape[0])
    seen: set[str] = set()
    found = []
    for one in batches:
        most = round(HEAVIEST * median(by_pass[one.step]) * one.shape[0])
        new = [i for i, p in enumerate(one.prints) if p not in seen]
        seen.update(one.prints)
        new = new[:: -(-len(new) // most)] if len(new) > most > 0 else new
        if new:
            found.append(replace(one, rows=one.rows[new], prints=tuple(one.prints[i] for i in new)))
    return found


def channels_at(shape: Sequence[int]) -> int:
    """The axis that features lie along: channels of images and of long signals, else the last one."""
    if len(shape) >= 4 or (len(shape) == 3 and shape[1] < shape[2]):
        return 1
    return len(shape) - 1


def columns(batches: Sequence[Kept]) -> list[Any]:
    """For each feature its values, a row for each sample."""
    import numpy as np

    found: list[list[Any]] = []
    for one in batches:
        axis = channels_at(one.shape)
        places = np.unravel_index(np.arange(one.rows.shape[1]) * one.apart, one.shape[1:])[axis - 1]
        if len(one.shape) == 2:
            places = np.arange(one.rows.shape[1])
        for number, feature in enumerate(np.unique(places)):
            while len(found) <= number:
                found.append([])
            found[number].extend(one.rows[:, places == feature])
    return found


def compared(train: Sequence[Kept], held: Sequence[Kept]) -> InputShift | None:
    """Both sides beside each other, and parts of the training beside the rest of it."""
    sizes = [sum(len(one.rows) for one in side) for side in (train, held)]
    if min(sizes) < LEAST or not all_finite((*train, *held)):
        return None
    tokens = held[0].tokens
    measured = of_tokens if tokens else of_features
    found = measured(train, held)
    usual = [measured(rest, part) for rest, part in parts(train, sizes[1])]
    if not found or not usual:
        return None
    ranked = sorted(range(len(found)), key=lambda k: -found[k][4])
    return InputShift(
        trained=sizes[0],
        evaluated=sizes[1],
        features=len(found),
        largest=tuple(FeatureShift(k, *found[k]) for k in ranked[:TOLD]),
        middle=median(one[4] for one in found),
        usual_largest=max(max(one[4] for one in part) for part in usual),
        usual_middle=max(median(one[4] for one in part) for part in usual),
        tokens=tokens,
        shape=held[0].shape,
        swapped=len(held[0].shape) >= 4 and len(found) == 3 and reversed_order(found),
    )


def all_finite(batches: Sequence[Kept]) -> bool:
    import numpy as np

    return all(bool(np.isfinite(one.rows).all()) for one in batches)


def parts(train: Sequence[Kept], size: int) -> Iterator[tuple[list[Kept], list[Kept]]]:
    """The training data in two, again and again: the rest, and as many samples as are evaluated, batch by batch."""
    import numpy as np

    draw = np.random.default_rng(0)
    total = sum(len(one.rows) for one in train)
    for _ in range(PARTS):
        part: list[Kept] = []
        rest: list[Kept] = []
        held = 0
        for k in draw.permutation(len(train)):
            if held < min(size, total // 2) and len(part) < len(train) - 1:
                part.append(train[k])
                held += len(train[k].rows)
            else:
                rest.append(train[k])
        if part and rest:
            yield rest, part


def of_features(train: Sequence[Kept], held: Sequence[Kept]) -> list[SIZE]:
    """How far each feature is apart."""
    import numpy as np

    return [apart(np.concatenate(a), np.concatenate(b)) for a, b in zip(columns(train), columns(held), strict=False)]


def apart(ours: Any, theirs: Any) -> SIZE:
    """Centre and spread of one feature on both sides."""
    import numpy as np

    few = min(len(np.unique(ours[:4096])), len(np.unique(theirs[:4096]))) < MANY
    (a, s), (b, t) = (level(side, few) for side in (ours, theirs))
    # Of a feature with few values the spread follows from the mean; and one that stood still has none.
    base = max(s, t) if few else s
    if abs(a - b) <= ROUNDING * max(abs(a), abs(b)):
        gap = 0.0
    else:
        gap = abs(a - b) / base if base > 0 else inf
    ratio = abs(log2(t / s)) if s > 0 and t > 0 and not few else 0.0
    return a, s, b, t, min(max(gap, ratio), 1e6)


def level(values: Any, few: bool) -> tuple[float, float]:
    """Centre and spread, by quartiles where these tell something: a few extreme values move neither."""
    import numpy as np

    low, middle, high = (float(v) for v in np.quantile(values, (0.25, 0.5, 0.75)))
    spread = (high - low) / 1.349
    if few or spread <= ROUNDING * max(abs(low), abs(high)):
        return float(values.mean()), float(values.std())
    return middle, spread


def of_tokens(train: Sequence[Kept], held: Sequence[Kept]) -> list[SIZE]:
    """The share of tokens that would have to be others for both sides to have each as often."""
    counts = [Counter(int(t) for one in side for t in one.rows.reshape(-1)) for side in (train, held)]
    totals = [count.total() for count in counts]
    shares = [{t: n / total for t, n in count.items()} for count, total in zip(counts, totals, strict=True)]
    away = sum(abs(shares[0].get(t, 0.0) - shares[1].get(t, 0.0)) for t in counts[0].keys() | counts[1].keys()) / 2
    return [(float(len(counts[0])), 0.0, float(len(counts[1])), 0.0, away)]


def reversed_order(found: Sequence[SIZE]) -> bool:
    """Whether three channels are alike when those of one side are taken in reverse order, and only then."""
    straight = max(abs(one[0] - one[2]) / max(one[1], one[3], 1e-12) for one in found)
    turned = max(abs(a[0] - b[2]) / max(a[1], b[3], 1e-12) for a, b in zip(found, reversed(found), strict=True))
    return turned < 0.25 * straight

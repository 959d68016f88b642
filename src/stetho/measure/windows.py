"""Samples that are windows of a series: which of them overlap, and whether they reach what is to be predicted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from stetho.facts import SeriesWindows
from stetho.measure.association import kept_pairs
from stetho.measure.series import Measured
from stetho.measure.shift import Kept, channels_at, even, sides
from stetho.recording import Recording

# Numbers in a row that are compared at once, for windows of measured and of counted values, and the fewest of a sample.
STRETCH, LONGER, COUNTED = 4, 8, 16
LEAST = 12
# Different values from which on they are measured, and those among a stretch that make it tell something.
VALUES, DIFFERENT = 50, 3
# The part of a sample that must be found again, in one piece or in pieces that keep their distance; of counted values,
# whose patterns come again by nature, more.
PART, HALF = 0.25, 0.5
# The share of the stretches that two windows both reach which must be the same in both.
WHOLE = 0.9
# Samples that are compared, and places that one stretch may be found in before it is taken for a pattern.
MOST, PLACES = 1200, 64
# What may be left of the target's variance where a feature is the target in other units.
LEFT = 1e-6
# The part of the training samples that must overlap others for all of them to be windows.
SERIES = 0.3


def series_windows(recording: Recording) -> Iterator[Measured]:
    """How many samples, held-out ones among them, share stretches with training samples in other places."""
    train, held = sides(recording)
    forms = Counter(one.form for one in train for _ in one.rows)
    if not forms:
        return
    form = forms.most_common(1)[0][0]
    ours = joined([one for one in even(train) if one.form == form])
    theirs = joined([one for one in even(held) if one.form == form])
    size = stretch_of(next(one for one in train if one.form == form), ours)
    if ours is None or size is None or len(ours) < 2 * STRETCH:
        return
    known = stretches(ours, size)
    among = [found for n, row in enumerate(ours) if (found := overlap(row, known, size, n)) is not None]
    if len(among) < SERIES * len(ours):
        return
    shared = [found for row in theirs if (found := overlap(row, known, size)) is not None] if theirs is not None else []
    at, places = target_place(recording)
    fact = SeriesWindows(
        length=ours.shape[1],
        trained=len(ours),
        among_trained=len(among),
        held_out=0 if theirs is None else len(theirs),
        among_held_out=len(shared),
        shared=median(shared) if shared else 0.0,
        target_at=at,
        places=places,
    )
    told = f"samples are windows of series: {fact.among_trained} of {fact.trained} overlap others in training"
    told += (
        f", {fact.among_held_out} of {fact.held_out} held-out ones overlap those of training" if fact.held_out else ""
    )
    yield fact, told + (f"; number {at} of a window is the target" if at is not None else "")


def joined(batches: Sequence[Kept]) -> Any:
    """The samples of several batches as one table; only those of the most frequent length."""
    import numpy as np

    if not batches:
        return None
    width = Counter(one.rows.shape[1] for one in batches).most_common(1)[0][0]
    return np.concatenate([one.rows for one in batches if one.rows.shape[1] == width])[:MOST]


def stretch_of(one: Kept, rows: Any) -> int | None:
    """How many numbers in a row are compared: more where values or patterns come again by nature."""
    import numpy as np

    if rows is None or rows.shape[1] < LEAST:
        return None
    if one.tokens or len(np.unique(rows)) < VALUES:
        return COUNTED if rows.shape[1] >= 2 * COUNTED else None
    features = one.shape[2] if len(one.shape) == 3 and channels_at(one.shape) == 2 else 0
    size = max(LONGER if rows.shape[1] >= 4 * LONGER else STRETCH, min(features + 1, rows.shape[1] // 2))
    return size if rows.shape[1] >= 2 * size else None


def stretches(rows: Any, size: int) -> dict[bytes, list[tuple[int, int]]]:
    """Where each stretch of numbers is found: samples and places."""
    known: dict[bytes, list[tuple[int, int]]] = defaultdict(list)
    for n, row in enumerate(rows):
        for place, key in enumerate(keys(row, size)):
            if key is not None and len(known[key]) <= PLACES:
                known[key].append((n, place))
    return known


def keys(row: Any, size: int) -> Iterator[bytes | None]:
    """Each stretch of a sample by its bytes; None for one that tells nothing, as one of zeros."""
    raw, values = row.astype("<f4").tobytes(), row.tolist()
    for place in range(len(values) - size + 1):
        told = len(set(values[place : place + size])) >= DIFFERENT
        yield raw[4 * place : 4 * (place + size)] if told else None


def overlap(row: Any, known: dict[bytes, list[tuple[int, int]]], size: int, own: int = -1) -> float | None:
    """The largest part of a sample that is found in another one, somewhere else; None where it is a small part."""
    met: Counter[tuple[int, int]] = Counter()
    told = list(keys(row, size))
    for place, key in enumerate(told):
        for n, there in known.get(key, ()) if key is not None else ():
            if n != own and there != place:
                met[n, there - place] += 1
    # So many stretches that begin one after the other cover a few numbers more.
    (_, moved), most = met.most_common(1)[0] if met else ((0, 0), 0)
    part = (most + size - 1) / len(row) if most else 0.0
    # Windows of one series are the same wherever both reach; a phrase or a pattern that comes again is so in between.
    both = told[max(0, -moved) : len(told) - max(0, moved)]
    whole = most >= WHOLE * sum(key is not None for key in both)
    return part if part >= (HALF if size == COUNTED else PART) and most > 1 and whole else None


def target_place(recording: Recording) -> tuple[int | None, int]:
    """The place in the samples that holds the target in other units, and how many places there are."""
    import numpy as np

    pairs = kept_pairs(recording)
    if pairs is None or pairs.discrete or pairs.whole or pairs.y.shape[1] != 1:
        return None, 0
    x, y = pairs.x - pairs.x.mean(axis=0), pairs.y[:, 0] - pairs.y[:, 0].mean()
    size = (x**2).sum(axis=0) * (y**2).sum()
    alike = np.where(size > 0, (x * y[:, None]).sum(axis=0) ** 2 / np.where(size > 0, size, 1.0), 0.0)
    best = int(alike.argmax())
    return (best if alike[best] > 1 - LEFT else None), pairs.x.shape[1]

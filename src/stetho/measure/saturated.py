"""Which numbers of an input hardly differ from sample to sample, and what the others tell of the label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stetho.facts import SaturatedFeatures
from stetho.measure.association import kept_pairs
from stetho.measure.series import Measured, plural
from stetho.measure.telling import MOST, WIDEST, is_classes, told_by, told_by_all
from stetho.recording import Recording

# The share of samples that one value must have, or both ends together.
ONE_VALUE, BOTH_ENDS = 0.98, 0.95


def saturated(recording: Recording) -> Iterator[Measured]:
    """The features that are at one value, or at both their limits, in nearly all samples that were kept."""
    pairs = kept_pairs(recording)
    if pairs is None or pairs.discrete or pairs.y.shape[1] != 1 or not 2 <= pairs.x.shape[1] <= WIDEST:
        return
    x, y = pairs.x[:MOST], pairs.y[:MOST, 0]
    found = tuple(k for k in range(x.shape[1]) if is_saturated(x[:, k]))
    classes = is_classes(pairs.y[:, 0], pairs.whole)
    some = 0 < len(found) < x.shape[1] and float(y.std()) > 0
    told = told_by_all(x, y, classes) if some else 0.0
    others = [k for k in range(x.shape[1]) if k not in found] if some else []
    each = sorted((goes_with(x[:, k], y, classes) for k in others), reverse=True)
    fact = SaturatedFeatures(found, x.shape[1], len(x), told, classes, tuple(each))
    words = f"{len(found)} of {plural(x.shape[1], 'feature')} hardly differ among {len(x)} samples"
    yield fact, words + (f"; the others tell {told:.3f} of the label" if found else "")


def is_saturated(values: Any) -> bool:
    """Whether nearly all values are one, or one of the two ends with others between them."""
    import numpy as np

    kinds, counts = np.unique(values, return_counts=True)
    if counts.max() >= ONE_VALUE * len(values):
        return True
    # Two values alone are a flag, and no limits.
    both = counts[0] + counts[-1] >= BOTH_ENDS * len(values) and min(counts[0], counts[-1]) > 1
    return len(kinds) > 3 and bool(both)


def goes_with(values: Any, y: Any, classes: bool) -> float:
    """How closely numbers go with a label, alike for all scales that keep their order and all names of classes."""
    import numpy as np

    if classes:
        return told_by(values, y, classes)
    ranks = [np.unique(one, return_inverse=True)[1].reshape(-1) for one in (values, y)]
    return abs(float(np.corrcoef(ranks[0], ranks[1])[0, 1])) if all(float(one.std()) for one in ranks) else 0.0

"""A loss as means over stretches of steps: the measure that stays the same when a batch gets another size.

The loss of few samples is skewed: most of its values lie below its mean, and the fewer the samples, the farther. A
median of single steps, or a mean without the highest, is then lower for small batches although nothing was learned.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from statistics import fmean

from stetho.facts import LossCurve
from stetho.inquiry import Facts
from stetho.yardstick import fact_in, trained_site

# Stretches that a run is cut into; a symptom takes twenty values to be seen.
STRETCHES = 24
# A mean of fewer steps than this is hardly less skewed than they are.
LEAST = 8


def resized(base: Facts, changed: Facts) -> bool:
    """Whether the loss of the changed run is seen to be one of another number of samples."""
    one, two = trained_site(base), trained_site(changed)
    return one is not None and two is not None and None not in (one.batch, two.batch) and one.batch != two.batch


def in_stretches(base: Facts, changed: Facts) -> tuple[Facts, Facts]:
    """Both runs with their losses averaged over the same stretches; as they are where there is no loss in one."""
    one, two = fact_in(base, LossCurve), fact_in(changed, LossCurve)
    if one is None or two is None or not one.values or not two.values:
        return base, changed
    # A long curve may have kept only some of its steps.
    spans = [(_steps(curve)[-1] - _steps(curve)[0] + 1, len(curve.values)) for curve in (one, two)]
    common = min(span for span, _ in spans)
    width = max(common // STRETCHES, *(LEAST * math.ceil(span / kept) for span, kept in spans))
    return _with(base, averaged(one, width)), _with(changed, averaged(two, width))


def averaged(curve: LossCurve, width: int) -> LossCurve:
    """A curve of the means over stretches of so many steps, each at its last step, without one that is cut short."""
    parts: dict[int, list[float]] = defaultdict(list)
    for step, value in zip(_steps(curve), curve.values, strict=False):
        parts[step // width].append(value)
    most = max(map(len, parts.values()))
    whole = {number: values for number, values in sorted(parts.items()) if len(values) > most / 2}
    means = (fmean(v) if all(map(math.isfinite, v)) else math.nan for v in whole.values())
    return replace(curve, values=tuple(means), steps=tuple((number + 1) * width - 1 for number in whole))


def _steps(curve: LossCurve) -> tuple[int, ...]:
    return curve.steps or tuple(range(len(curve.values)))


def _with(facts: Facts, curve: LossCurve) -> Facts:
    return {**facts, LossCurve: (facts[LossCurve][0], curve)}

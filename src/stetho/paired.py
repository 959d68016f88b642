"""Two curves of one seed, step beside step: by how much they differ at the end, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean, median, stdev

from stetho.curves import finite, shape
from stetho.facts import LossCurve

# Fewer pairs than this show no noise to compare with.
LEAST_PAIRS = 6
# A difference that matters is this share of the higher of the two levels.
SHARE = 0.1
# Standard errors that a difference must exceed to be called one, and those within which it may still be one.
CLEAR, POSSIBLE = 3.0, 2.0
# A short curve tells little of its own noise: of so many pairs, twice as many of them are asked for.
SHORT = 12
# Steps from which noise is estimated at least, where there are as many.
WINDOW = 60
# Noise that remembers longer than this cannot be told from a trend.
LONGEST_MEMORY = 0.95
# Second differences of noise with the longest memory, in its standard deviations; and the share of the gap below which
# what the second differences allow for is no noise that matters.
ROUGHNESS, SMOOTH = 0.45, 0.05
BLOCKS = 8
# Steps that are a run's beginning.
EARLY = 60
# The standard error of a trimmed mean, in those of a mean.
TRIMMED = 1.06
# With so few blocks their spread is itself uncertain: three sigmas of many are this much more of few.
FEW_BLOCKS = 1.6
# Stretches of a long curve whose scatter tells how steady a small difference is.
STEADY_BLOCKS = 12


@dataclass(frozen=True)
class Difference:
    """The changed curve beside the base over the end of their common steps; a positive gain is a lower loss."""

    before: float
    after: float
    gain: float
    error: float
    """Standard error of the gain, with noise that remembers taken into account."""
    matters: float
    """The least gain or loss that is worth a word."""
    steps: int
    """Steps that both runs have."""
    alike: float | None
    """How much the two curves jump together from step to step: near 1 when they see the same batches."""
    apart: bool = False
    """Whether the ends hardly overlap and one lies below half of the other; then noise needs no estimate."""

    same_start: bool = False
    """Whether the first loss is the same to the last digits: the same weights, the same batch, the same loss."""

    @property
    def sigmas(self) -> float:
        """The gain in standard errors."""
        return self.gain / self.error if self.error > 0 else math.copysign(math.inf, self.gain) if self.gain else 0.0

    @property
    def clear(self) -> bool:
        """Whether it is more than noise and large enough to matter."""
        return abs(self.gain) > self.matters and (abs(self.sigmas) > CLEAR * (1 + SHORT / self.steps) or self.apart)

    @property
    def better(self) -> bool:
        return self.clear and self.gain > 0

    @property
    def worse(self) -> bool:
        return self.clear and self.gain < 0

    @property
    def excluded(self) -> bool:
        """Whether any difference that would matter more than a little is ruled out."""
        return abs(self.gain) + POSSIBLE * self.error < 2 * self.matters

    @property
    def same_batches(self) -> bool | None:
        """Whether both runs see the same batches in the same order; None where the curves do not tell."""
        if self.alike is None:
            return None
        doubt = 1 / math.sqrt(self.steps)
        if self.alike > max(0.2, 3 * doubt):
            return True
        return False if not self.same_start and self.alike < 2 * doubt else None


def at_equal_steps(base: LossCurve, changed: LossCurve) -> list[tuple[float, float]]:
    """The losses of both runs at the steps that both have, in order; a long curve may have kept only some."""
    ours = dict(zip(base.steps or range(len(base.values)), base.values, strict=False))
    theirs = zip(changed.steps or range(len(changed.values)), changed.values, strict=False)
    return [(ours[step], value) for step, value in theirs if step in ours]


def doubts_at_equal_steps(base: LossCurve, changed: LossCurve) -> list[float]:
    """How far each gap between the two may be off, where every value is a mean over many backwards; else nothing."""
    if not (len(base.doubts) == len(base.values) and len(changed.doubts) == len(changed.values)):
        return []
    ours, theirs = replace(base, values=base.doubts), replace(changed, values=changed.doubts)
    return [math.hypot(one, two) for one, two in at_equal_steps(ours, theirs)]


def difference(pairs: Sequence[tuple[float, float]], doubts: Sequence[float] = ()) -> Difference | None:
    """How the second curve differs from the first at the end; None when there is too little of them.

    `doubts` say how far each gap may be off, where that is known better than the gaps themselves can tell.
    """
    known = [(a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
    if 1 < len(known) < LEAST_PAIRS and all(a == b for a, b in pairs):
        # The second loss has a step behind it; what agrees to the last digit needs no noise to compare with.
        last = known[-1][0]
        return Difference(last, last, 0.0, 0.0, SHARE * max(abs(last), 1e-12), len(known), None, same_start=True)
    if len(known) < LEAST_PAIRS:
        return None
    one, two = ([p[side] for p in known] for side in (0, 1))
    before, after = shape(one), shape(two)
    if before is None or after is None:
        return None
    gaps = [a - b for a, b in known]
    size = tail_size(len(gaps))
    gain = trimmed_mean(gaps[-size:])
    if min(before.lowest, after.lowest) > 0:
        level = max(before.end, after.end)
    else:
        # On a curve that crosses zero a level says nothing; what it has come down so far does.
        level = max(abs(s.end) for s in (before, after))
        level = max(level, *(abs(s.start - s.end) for s in (before, after)))
    return Difference(
        before.end, after.end, gain, _error(gaps, size, doubts), SHARE * max(level, 1e-12), len(known),
        _alike(one, two), _apart(one[-size:], two[-size:]), math.isclose(*known[0], rel_tol=1e-6),
    )  # fmt: skip


def at_start(pairs: Sequence[tuple[float, float]], most: int = EARLY) -> Difference | None:
    """How the second curve differs from the first over the first steps, the very first one left out, which knows of no
    change yet; None when there is too little of them."""
    known = list(pairs[1 : most + 1])
    if len(known) < WINDOW // 2 or not all(math.isfinite(v) for pair in known for v in pair):
        return None
    before, after = (trimmed_mean([pair[side] for pair in known]) for side in (0, 1))
    gaps = [a - b for a, b in known]
    matters = SHARE * max(abs(before), abs(after), 1e-12)
    same = math.isclose(*pairs[0], rel_tol=1e-6)
    return Difference(
        before, after, trimmed_mean(gaps), _error(gaps, len(gaps)), matters, len(known), None, same_start=same
    )


def steady_gap(pairs: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """How much lower the second curve lies all along, and the standard error of that by its scatter from block to
    block; None where there are too few steps for blocks."""
    gaps = [a - b for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
    size = len(gaps) // STEADY_BLOCKS
    if size < LEAST_PAIRS:
        return None
    means = [trimmed_mean(gaps[i * size : (i + 1) * size]) for i in range(STEADY_BLOCKS)]
    return fmean(means), stdev(means) / math.sqrt(STEADY_BLOCKS)


def trimmed_mean(values: Sequence[float]) -> float:
    """The mean without the fifth that is lowest and the fifth that is highest: a spike must not stand for a level."""
    cut = len(values) // 5
    return fmean(sorted(values)[cut : len(values) - cut])


def tail_size(length: int) -> int:
    """How many of the last steps make the end of a curve."""
    return max(3, length // 5)


def _error(gaps: Sequence[float], size: int, doubts: Sequence[float] = ()) -> float:
    """How far the mean of the last gaps may be off: by what single steps scatter, and by what whole blocks do.

    The first is told by the jumps from step to step, so that a smooth fall is no noise; the second finds slow
    wandering under a quick noise that hides it. Where each step knows its own scatter, a short curve is not asked for
    it: what it falls from step to step is no noise.
    """
    if len(doubts) == len(gaps) <= WINDOW:
        return max(math.sqrt(sum(d * d for d in doubts[-size:])) / size, stdev(gaps[-size:]), 1e-15)
    smooth = _smooth_error(gaps[-size:], gaps[-max(size, LEAST_PAIRS) :])
    if smooth is not None:
        return smooth
    half = gaps[-max(len(gaps) // 2, min(3 * len(gaps) // 4, WINDOW)) :]
    jumps = [abs(b - a) for a, b in pairwise(half)]
    # The median jump of steps that know nothing of each other is 0.954 standard deviations; spikes count apart.
    rough = median(jumps) / 0.954
    memory = _memory(half)
    scatter = rough / math.sqrt(1 - memory)
    return max(TRIMMED * scatter * math.sqrt(_mean_variance(memory, size)), _block_error(half, size), 1e-15)


def _smooth_error(tail: Sequence[float], around: Sequence[float]) -> float | None:
    """How far the mean of the last gaps may be off where they are smooth, as full batches make them; None where not.

    What bends is then no noise, however long it remembers: it counts only by how far it goes within the tail, which a
    swing does and the end of a fall does not.
    """
    bends = [abs(a - 2 * b + c) for a, b, c in zip(around, around[1:], around[2:], strict=False)]
    rough = median(bends) / 0.6745 / ROUGHNESS
    if rough > SMOOTH * abs(trimmed_mean(tail)):
        return None
    return max(rough, stdev(tail), 1e-15)


def _memory(values: Sequence[float]) -> float:
    """How much of its deviation a step hands to the next one, rather too much than too little."""
    left = without_line(values)
    limit = 4 * 1.4826 * median(abs(v) for v in left)
    left = [max(-limit, min(limit, v)) for v in left]
    whole = sum(v * v for v in left)
    if whole <= 0 or len(left) < 4:
        return 0.0
    seen = sum(a * b for a, b in pairwise(left)) / whole
    # Short stretches show less memory than there is.
    corrected = seen + (1 + 4 * seen) / len(left)
    doubt = math.sqrt(max(0.05, 1 - corrected**2) / len(left))
    return max(0.0, min(LONGEST_MEMORY, corrected + doubt))


def _mean_variance(memory: float, size: int) -> float:
    """The variance of a mean of so many steps with this memory, in those of one step."""
    if memory <= 0:
        return 1 / size
    gone = 2 * memory * (1 - memory**size) / (size * (1 - memory) ** 2)
    return ((1 + memory) / (1 - memory) - gone) / size


def _block_error(half: Sequence[float], size: int) -> float:
    """The same from the levels of whole blocks, a straight line taken away: a steady fall is no noise."""
    width = len(half) // BLOCKS
    if width < 3:
        return 0.0
    start = len(half) - width * BLOCKS
    levels = [median(half[start + i * width : start + (i + 1) * width]) for i in range(BLOCKS)]
    left = without_line(levels)
    spread = math.sqrt(sum(v * v for v in left) / (BLOCKS - 2))
    return FEW_BLOCKS * spread / math.sqrt(max(1.0, size / width))


def without_line(values: Sequence[float]) -> list[float]:
    """What is left of values when their straight line is taken away."""
    middle = (len(values) - 1) / 2
    level = fmean(values)
    slope = sum((i - middle) * v for i, v in enumerate(values)) / max(
        1e-12, sum((i - middle) ** 2 for i in range(len(values)))
    )
    return [v - level - slope * (i - middle) for i, v in enumerate(values)]


def _alike(one: Sequence[float], two: Sequence[float]) -> float | None:
    """The rank correlation of the two curves' jumps; None where one of them does not jump."""
    first, second = ([b - a for a, b in pairwise(v)] for v in (one, two))
    if len(first) < 8 or len(set(first)) < 3 or len(set(second)) < 3:
        return None
    middle = (len(first) - 1) / 2
    together = sum((a - middle) * (b - middle) for a, b in zip(_ranks(first), _ranks(second), strict=True))
    return together / sum((i - middle) ** 2 for i in range(len(first)))


def _ranks(values: Sequence[float]) -> list[int]:
    """The place of each value in the order of all: jumps of any size count alike."""
    places = [0] * len(values)
    for place, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        places[index] = place
    return places


def _apart(one: Sequence[float], two: Sequence[float]) -> bool:
    """Whether two ends hardly overlap and lie far apart."""
    low, high = sorted((sorted(finite(one)), sorted(finite(two))), key=median)
    floor, ceiling = high[len(high) // 20], low[-1 - len(low) // 20]
    return len(high) >= 10 and floor > ceiling and median(low) < 0.5 * median(high) and low[0] > 0

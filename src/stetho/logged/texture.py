"""What a loss does from point to point, over all points that were logged: noise, spikes that recur, cycles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from stetho.evidence import Source
from stetho.facts import Cycles, LossTexture, Recurrence, Spike
from stetho.logged.assembly import Curve
from stetho.logged.known import Known

if TYPE_CHECKING:
    from stetho.series import Floats, Whole

LEAST, MOST_SPIKES, MOST_STEPS = 40, 100, 50
# Points looked at together: a level is known from them, and memory stays bounded on millions.
SMALLEST, LARGEST, CHUNK = 8, 50, 1 << 18
# A spike lies above the points around it by so many times their noise, and by half of their level.
NOISES, HALF_AS_HIGH = 10.0, 1.5
# Of a cycle: how low it sinks, as a share of where the loss began, and how many of them there must be.
LOW, FEWEST_CYCLES, CYCLES_LOOKED_AT = 0.2, 5, 500


@dataclass(frozen=True)
class Levels:
    """The median and the noise of each block of a curve; each is the highest of its neighbours' and its own."""

    size: int
    level: Floats
    noise: Floats

    def at(self, index: Whole) -> tuple[Floats, Floats]:
        block = np.minimum(index // self.size, len(self.level) - 1)
        return self.level[block], self.noise[block]


def texture(loss: Curve, rate: Curve | None) -> Iterator[Known]:
    """The texture of a loss; nothing where there are too few points."""
    known = np.isfinite(loss.values)
    # A view where all points count: of ten million, each copy is eighty megabytes.
    kept = slice(None) if known.all() else np.flatnonzero(known)
    values, steps = loss.values[kept], loss.steps[kept]
    if len(values) < LEAST:
        return
    numbered = epochs_of(loss)
    epochs = None if numbered is None else numbered[kept]
    levels = levels_of(values)
    spikes = spikes_in(values, steps, epochs, levels)
    calm = [spike for spike in spikes if rate is None or not rises_at(rate, spike[1].step)]
    recurrence = recurring(calm, epochs, float(steps[-1] - steps[0]) / len(steps))
    cycles = cycles_in(values, steps)
    if cycles is not None and rate is not None:
        risen = sum(rises_at(rate, step) for step in cycles.steps)
        cycles = cycles if risen < 0.3 * len(cycles.steps) else None
    recurrence = recurrence if cycles is None else None
    at = loss.placed.series.at
    if recurrence is not None and at is not None and loss.placed.series.unit != "offset":
        lines = at[kept][np.searchsorted(steps, np.array(recurrence.steps))]
        recurrence = replace(recurrence, lines=tuple(int(line) for line in lines))
    highest = sorted(spikes, key=lambda one: one[1].level - one[1].value)[:MOST_SPIKES]
    fact = LossTexture(
        loss.name, len(values), float(np.median(levels.noise[len(levels.noise) // 2 :])),
        tuple(spike for _, spike in sorted(highest)), len(spikes), recurrence, cycles,
    )  # fmt: skip
    yield Known(fact, in_words(fact), source_of(loss, fact))


def in_words(fact: LossTexture) -> str:
    words = f"{fact.name} from point to point: noise {fact.noise:.3g}, {fact.spike_count} spikes"
    if fact.recurrence is not None:
        words += f", {fact.recurrence.met} of them at the same place"
    return words + (f", {fact.cycles.count} cycles" if fact.cycles is not None else "")


def source_of(loss: Curve, fact: LossTexture) -> Source:
    """The line of the first spike that comes back, else that of the last point."""
    lines = fact.recurrence.lines if fact.recurrence is not None else ()
    return Source(file=loss.source.file, line=lines[0]) if lines else loss.source


def epochs_of(curve: Curve) -> Whole | None:
    """The epoch of each point, counted from 0; None where neither epochs nor steps that begin anew tell it."""
    series = curve.placed.series
    if series.epochs is not None and (np.abs(series.epochs) < 2.0**53).all():
        known = np.floor(series.epochs).astype(np.int64)
        return known - known[0] if (np.diff(known) >= 0).all() and known[-1] > known[0] else None
    if series.steps is None or curve.placed.back:
        return None
    anew = series.steps[1:] < series.steps[:-1]
    return np.concatenate([[0], np.cumsum(anew)]).astype(np.int64) if anew.any() else None


def levels_of(values: Floats) -> Levels:
    size = max(SMALLEST, min(LARGEST, len(values) // 12))
    count = len(values) // size
    level, noise = np.empty(count), np.empty(count)
    for begin in range(0, count, CHUNK // size):
        end = min(count, begin + CHUNK // size)
        part = values[begin * size : end * size].reshape(end - begin, size)
        level[begin:end] = np.median(part, axis=1)
        noise[begin:end] = 1.4826 * np.median(np.abs(part - level[begin:end, None]), axis=1)
    return Levels(size, with_neighbours(level), with_neighbours(noise))


def with_neighbours(values: Floats) -> Floats:
    """The highest of each value and its two neighbours: where a curve falls or jumps, its own block says too little."""
    padded = np.concatenate([values[:1], values, values[-1:]])
    highest: Floats = np.maximum(np.maximum(padded[:-2], padded[1:-1]), padded[2:])
    return highest


def spikes_in(values: Floats, steps: Whole, epochs: Whole | None, levels: Levels) -> list[tuple[int, Spike]]:
    """The spikes of a curve with their index, none in its first block, where it may fall steeply."""
    high = np.concatenate([above(values, levels, begin) for begin in range(0, len(values), CHUNK)])
    high = high[high >= levels.size]
    if not len(high):
        return []
    first = np.flatnonzero(np.concatenate([[True], np.diff(high) > 3]))
    begins, ends = high[first], high[np.concatenate([first[1:], [len(high)]]) - 1]
    starts = None if epochs is None else np.searchsorted(epochs, epochs[begins])
    level, noise = levels.at(begins)
    found = []
    for place, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
        top = begin + int(np.argmax(values[begin : end + 1]))
        epoch = (None, None) if epochs is None or starts is None else (int(epochs[begin]), begin - int(starts[place]))
        found.append((begin, Spike(
            int(steps[begin]), float(values[top]), float(level[place]), float(noise[place]), end - begin + 1, *epoch,
        )))  # fmt: skip
    return found


def above(values: Floats, levels: Levels, begin: int) -> Whole:
    """The points of a chunk that lie far above their surroundings; a level at or below zero has no half."""
    index = np.arange(begin, min(len(values), begin + CHUNK))
    level, noise = levels.at(index)
    part = values[index]
    return index[(part > level + NOISES * noise) & (part > HALF_AS_HIGH * level) & (level > 0)]


def rises_at(rate: Curve, step: int) -> bool:
    """Whether the rate goes up around a step, as at a restart of its schedule."""
    at = int(np.searchsorted(rate.steps, step))
    near = rate.values[max(0, at - 2) : at + 3]
    return len(near) > 1 and float(np.max(near[1:] / np.maximum(np.minimum.accumulate(near[:-1]), 1e-300))) > 1.5


def recurring(spikes: list[tuple[int, Spike]], epochs: Whole | None, stride: float) -> Recurrence | None:
    """Spikes at one place of most epochs, or at even distances, as where epochs are not known or points left out."""
    found = at_one_place(spikes, epochs) if epochs is not None else None
    if found is not None or len(spikes) < 5:
        return found
    steps = np.array([spike.step for _, spike in spikes])
    gaps = np.diff(steps)
    usual = float(np.median(gaps))
    even = np.abs(gaps - usual) <= max(stride, 0.02 * usual)
    if usual < 10 * stride or even.mean() < 0.8:
        return None
    return told([spike for _, spike in spikes], round((steps[-1] - steps[0]) / usual) + 1, None)


def at_one_place(spikes: list[tuple[int, Spike]], epochs: Whole) -> Recurrence | None:
    lengths = np.bincount(epochs)
    places = np.array([spike.place for _, spike in spikes if spike.place is not None])
    if len(places) < 3 or np.median(lengths) < SMALLEST:
        return None
    counts = np.bincount(places, minlength=2)
    # A log of every tenth step may meet the batch one point earlier or later.
    around = counts + np.concatenate([[0], counts[:-1]]) + np.concatenate([counts[1:], [0]])
    place = int(np.argmax(around))
    here = [spike for _, spike in spikes if spike.place is not None and abs(spike.place - place) <= 1]
    met, possible = len({spike.epoch for spike in here}), int(np.count_nonzero(lengths > place))
    if met < 3 or met < 0.5 * possible:
        return None
    return told(here, possible, int(np.median([spike.place or 0 for spike in here])))


def told(spikes: list[Spike], possible: int, place: int | None) -> Recurrence:
    steps = [spike.step for spike in spikes]
    height = float(np.median([spike.value / spike.level for spike in spikes]))
    return Recurrence(
        len(spikes), max(possible, len(spikes)), float(np.median(np.diff(steps))), height, place,
        tuple(steps[:MOST_STEPS]),
    )  # fmt: skip


def cycles_in(values: Floats, steps: Whole) -> Cycles | None:
    """Jumps from almost nothing back to where the loss began, each followed by points that sink again."""
    start = float(np.median(values[:3]))
    if start <= 0 or float(np.min(values)) < 0:
        return None
    low, high = values < LOW * start, values >= start
    marked = np.flatnonzero(low | high)
    states = high[marked]
    jumps = np.flatnonzero(~states[:-1] & states[1:])
    if len(jumps) < FEWEST_CYCLES:
        return None
    before, peaks = marked[jumps], marked[jumps + 1]
    lows = marked[~states]
    after = np.searchsorted(lows, peaks)
    ends = np.append(lows, len(values))[after]
    lasts, gaps = float(np.median(ends - peaks)), np.diff(peaks)
    rise = float(np.median(peaks - before))
    quick = rise <= 3 and lasts >= 3 * rise
    regular = float(np.std(gaps)) < 0.6 * float(np.median(gaps))
    late = int(np.count_nonzero(peaks > len(values) // 2)) >= 0.3 * len(peaks)
    if not (quick and regular and late and lasts >= 3 and sinking(values, peaks, ends) < -0.5):
        return None
    tops = [float(np.max(values[peak:end])) for peak, end in zip(peaks.tolist(), ends.tolist(), strict=True)]
    return Cycles(
        len(peaks), float(np.median(values[before])), float(np.median(tops)), float(np.median(np.diff(steps[peaks]))),
        lasts, tuple(int(s) for s in steps[peaks[:MOST_STEPS]]),
    )  # fmt: skip


def sinking(values: Floats, peaks: Whole, ends: Whole) -> float:
    """How steadily the loss sinks between a jump and the end of its cycle, -1 for always; these two are left out."""
    along = down = across = 0.0
    for peak, end in zip(peaks[:CYCLES_LOOKED_AT].tolist(), ends[:CYCLES_LOOKED_AT].tolist(), strict=True):
        part = np.log(np.maximum(values[peak + 1 : end], 1e-300))
        if len(part) > 1:
            places = np.arange(len(part)) - (len(part) - 1) / 2
            part = part - part.mean()
            along += float(places @ places)
            down += float(part @ part)
            across += float(places @ part)
    return float(across / np.sqrt(along * down)) if along * down > 0 else 0.0

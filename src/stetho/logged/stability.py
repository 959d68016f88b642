"""From what a run logged to facts of numbers on the edge: the scale of mixed precision, and the losses of ranks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stetho.evidence import Source
from stetho.facts import Config, ConfigValue, LossScale, Metrics, RankLoss, RankLosses, Statements
from stetho.logged.assembly import Curve, chosen, main_losses, stays_nonfinite
from stetho.logged.ending import Told
from stetho.logged.known import Known
from stetho.logged.roles import WORDS, role
from stetho.logged.steps import place

if TYPE_CHECKING:
    from stetho.series import Series

SCALES = frozenset(["scale", "scaler"])
# What else has a scale and is no factor of the loss.
OTHERS = frozenset(
    ["guidance", "weight", "image", "img", "noise", "reward", "lr", "temperature", "logit", "output", "time"]
)
NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?![\w.]*\w)", re.IGNORECASE)
MOST_VALUES = 2000


def scale_of_loss(metrics: Metrics | None, told: Sequence[Told]) -> Iterator[Known]:
    """The scale as a curve, or, where only words tell of it, from what to what it was lowered."""
    skipped = [(one, s) for one in told if isinstance(one.reading.fact, Statements)
               for s in one.reading.fact.of("step-skipped")]  # fmt: skip
    count = sum(s.count for _, s in skipped)
    curve = next((c for c in metrics.curves if is_scale(c.name, c.values)), None) if metrics is not None else None
    if curve is not None:
        # A scale that was halved to nothing is printed as zero.
        known = [(s, v) for s, v in zip(curve.steps, curve.values, strict=True) if np.isfinite(v) and v > 0]
        steps, values = tuple(s for s, _ in known), tuple(v for _, v in known)
        words = f"{curve.name}: {values[0]:.6g} first, {values[-1]:.6g} last"
        yield Known(LossScale(curve.name, values, steps, count), words, Source(curve.file, curve.last_at))
        return
    for one, said in skipped:
        ends = [number_in(text) for text in (said.text, said.last_text or said.text)]
        values = tuple(value for value in ends if value is not None)
        if len(values) == 2 and min(values) > 0:
            words = f"steps are left out {said.count} times, the scale goes from {values[0]:.6g} to {values[1]:.6g}"
            source = Source(one.artifact.name, said.last_line or said.line)
            yield Known(LossScale("", values, (), said.count), words, source)
            return


def is_scale(name: str, values: Sequence[float]) -> bool:
    """Whether a curve is a loss scale: by its name, and as its values are halved and doubled."""
    words = {word.lower() for word in WORDS.findall(name)}
    if not words & SCALES or words & OTHERS or not values:
        return False
    known = np.array([v for v in values if np.isfinite(v) and v > 0])
    if len(known) < 2 or any(v < 0 for v in values):
        return False
    changes = np.abs(np.diff(np.log2(known)))
    changes = changes[changes > 1e-3]
    # Whole powers of two; what is printed with few digits is off by a little.
    return len(changes) > 0 and bool(np.mean(np.abs(changes - np.round(changes)) < 0.02) > 0.9)


def collapse(scale: LossScale, *, least: float = 1.0, fallen: float = 128.0) -> int | None:
    """Where the fall of a scale to nothing begins among its values; None where it finds a level, or comes back."""
    known = scale.values
    if len(known) < 2 or min(known) <= 0:
        return None
    last, highest = known[-1], max(known)
    # From a level that it had held for long, an unbroken fall that goes on is no search for a level.
    drop = 0
    while drop < len(known) - 1 and known[-2 - drop] > known[-1 - drop]:
        drop += 1
    held = sum(value == highest for value in known) >= len(known) // 2 >= 10
    falling = held and drop >= 8 and highest >= 2 * fallen * last
    if last > min(known) or highest < fallen * last or not (last <= least or falling):
        return None
    return len(known) - 1 - next(i for i, value in enumerate(reversed(known)) if value >= highest)


def number_in(text: str) -> float | None:
    """The number that a statement ends with: the scale that is left."""
    found = NUMBER.findall(text)
    return float(found[-1]) if found else None


def losses_of_ranks(ranks: Mapping[int, Sequence[tuple[str, Series]]]) -> Iterator[Known]:
    """The loss of each rank that logged one."""
    found: list[tuple[RankLoss, Source]] = []
    for rank, series in ranks.items():
        curves = [Curve(place(one), role(one.name)) for one in chosen(series)]
        losses = main_losses([curve for curve in curves if len(curve)])
        if not losses:
            continue
        loss = losses[0]
        first, last = float(loss.values[0]), float(loss.values[-1])
        failed = stays_nonfinite(loss)
        found.append((RankLoss(rank, first, last, int(loss.steps[-1]), failed), first_bad(loss, failed)))
    found.sort(key=lambda pair: pair[0].rank)
    if len({one.rank for one, _ in found}) > 1:
        bad = [(one.nonfinite_step, one.rank, source) for one, source in found if one.nonfinite_step is not None]
        told = ", ".join(f"{rank} from step {step}" for step, rank, _ in bad[:8])
        words = f"{len(found)} ranks logged a loss" + (f"; not finite on rank {told}" if bad else "")
        source = min(bad, key=lambda item: item[:2])[2] if bad else Source()
        yield Known(RankLosses(tuple(one for one, _ in found)), words, source)


def first_bad(loss: Curve, step: int | None) -> Source:
    """Where the first value stands that is not finite."""
    series = loss.placed.series
    if step is None or series.at is None or series.unit == "offset":
        return Source(file=series.file)
    return Source(file=series.file, line=int(series.at[int(np.argmax(loss.steps >= step))]))


def configurations(told: Sequence[Told]) -> Iterator[Known]:
    """All settings of a run together, where several files have some."""
    found = [one.reading.fact for one in told if isinstance(one.reading.fact, Config)]
    if len(found) > 1:
        values: list[ConfigValue] = [value for fact in found for value in fact.values][:MOST_VALUES]
        total = sum(fact.total for fact in found)
        yield Known(Config("several", tuple(values), total), f"{total} settings in {len(found)} files", Source())

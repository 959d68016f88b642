"""From the series of a run to the facts that checks read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from stetho.evidence import Source
from stetho.facts import (
    GradientNorms,
    LearningRate,
    LoggedCurve,
    LossCurve,
    Metrics,
    Resumption,
    Resumptions,
    Scores,
    ValidationLoss,
)
from stetho.logged.bare import told_by_course
from stetho.logged.known import Known
from stetho.logged.memory import memory
from stetho.logged.roles import Role, role
from stetho.logged.speed import speed
from stetho.logged.steps import Placed, joined, place

if TYPE_CHECKING:
    from stetho.series import Floats, Series, Whole

MOST_CURVES, MOST_POINTS, MOST_RESTARTS = 200, 400, 50
# Points that facts keep of one curve; checks see noise in them as it was.
ENOUGH = 4000


@dataclass(frozen=True)
class Curve:
    """A series with its role and its place along the run."""

    placed: Placed
    role: Role

    @property
    def name(self) -> str:
        return self.placed.series.name

    @property
    def values(self) -> Floats:
        return self.placed.series.values

    @property
    def steps(self) -> Whole:
        return self.placed.steps

    @property
    def source(self) -> Source:
        """Where its last point stands."""
        series = self.placed.series
        line = int(series.at[-1]) if series.at is not None and series.unit != "offset" and len(series) else None
        return Source(file=series.file, line=line)

    def __len__(self) -> int:
        return len(self.placed.series)


def facts_of(series: Sequence[tuple[str, Series]]) -> Iterator[Known]:
    """Everything that the series of one run say; each comes with the format that it was read from."""
    yield from facts_of_curves(curves_of(series))


def facts_of_curves(
    curves: Sequence[Curve], again: Mapping[str, Sequence[int]] = MappingProxyType({})
) -> Iterator[Known]:
    """What the curves of a run say, each by itself.

    `again` has the lines at which a file says that the run goes on from a checkpoint.
    """
    if not curves:
        return
    curves = told_by_course(curves)
    yield from every_metric(curves)
    losses = main_losses(curves)
    if losses:
        yield loss_curve(losses, curves)
        yield from validation(losses[0], curves)
        yield from restarts(losses[0], again)
    yield from scores(curves)
    yield from rates(curves)
    yield from gradients(curves)
    yield from speed(curves)
    yield from memory(curves, evenly)


def curves_of(series: Sequence[tuple[str, Series]]) -> list[Curve]:
    """Every metric of a run along it, without those that only count."""
    curves = [Curve(place(one), role(one.name)) for one in chosen(series)]
    return [curve for curve in curves if len(curve) and curve.role.kind not in ("step", "epoch", "time")]


def chosen(series: Sequence[tuple[str, Series]]) -> list[Series]:
    """Of one metric in several formats the fullest; what one format has in several files is joined."""
    groups: dict[str, dict[str, list[Series]]] = defaultdict(lambda: defaultdict(list))
    for form, one in series:
        if len(one):
            groups[plainly(one.name)][form].append(one)
    return [max((joined(parts) for parts in forms.values()), key=len) for forms in groups.values()]


def plainly(name: str) -> str:
    """A name as two writers may spell it."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def main_losses(curves: Sequence[Curve]) -> list[Curve]:
    """The training loss; several where none is the whole of it, as with two players."""
    found = [c for c in curves if c.role.kind == "loss" and c.role.split != "validation" and len(c) > 1]
    if not found:
        return []
    plainest = min(c.role.plain for c in found)
    found = sorted((c for c in found if c.role.plain == plainest), key=lambda c: -len(c))
    return found[:1] if plainest == 0 else found


def evenly(curve: Curve, most: int = ENOUGH) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Steps and values, of a long curve every k-th with its extremes, its first NaN and its last."""
    values, steps = curve.values, curve.steps
    if len(values) > most:
        known = np.isfinite(values)
        picked = set(range(0, len(values), len(values) // most + 1)) | {len(values) - 1}
        if known.all():
            picked |= {int(np.argmax(values)), int(np.argmin(values))}
        elif known.any():
            finite = np.where(known, values, np.nan)
            picked |= {int(np.nanargmax(finite)), int(np.nanargmin(finite))}
        picked |= set(np.flatnonzero(~known)[:1].tolist())
        where = np.array(sorted(picked))
        values, steps = values[where], steps[where]
    return tuple(int(s) for s in steps), tuple(float(v) for v in values)


def every_metric(curves: Sequence[Curve]) -> Iterator[Known]:
    told = sorted((c for c in curves if len(c) > 1), key=lambda c: -len(c))
    kept = []
    for curve in told[:MOST_CURVES]:
        series, (steps, values) = curve.placed.series, evenly(curve, MOST_POINTS)
        ends = (None, None) if series.at is None else (int(series.at[0]), int(series.at[-1]))
        kept.append(
            LoggedCurve(
                curve.name, curve.role.kind, curve.role.split, series.file, len(curve), steps, values, *ends
            )
        )  # fmt: skip
    if kept:
        names = ", ".join(c.name for c in kept[:4]) + (f" and {len(told) - 4} more" if len(told) > 4 else "")
        last = max(int(c.steps[-1]) for c in told)
        words = f"{len(told)} metrics logged up to step {last}: {names}"
        yield Known(Metrics(tuple(kept), max(0, len(told) - MOST_CURVES)), words, told[0].source)


def loss_curve(losses: Sequence[Curve], curves: Sequence[Curve]) -> Known:
    loss = losses[0]
    steps, values = evenly(loss)
    failed, what = stays_nonfinite(loss), "loss"
    if failed is None:
        norms = [c for c in curves if c.role.kind == "gradient"]
        failed = next((at for at in map(stays_nonfinite, norms) if at is not None), None)
        what = "gradient"
    # An agent's loss follows what it meets; where rewards are logged it has no level of its own.
    players = len(losses) + any(c.role.kind == "reward" for c in curves)
    fact = LossCurve(
        values, steps, objectives=players, nonfinite_step=failed, nonfinite_in=what if failed is not None else None,
        logged=True,
    )  # fmt: skip
    finite = loss.values[np.isfinite(loss.values)]
    ends = f"{finite[0]:.4g} at step {steps[0]}, {finite[-1]:.4g} last" if len(finite) else "never finite"
    words = f"{loss.name}: {len(loss)} points to step {steps[-1]}, {ends}"
    if failed is not None:
        words += f"; the {what} is NaN or Inf from step {failed} on"
    return Known(fact, words, loss.source)


def stays_nonfinite(curve: Curve) -> int | None:
    """The first step from which on most values are NaN or Inf; one that recovers is a bad batch, not the end."""
    bad = ~np.isfinite(curve.values)
    if not bad.any() or not bad[-1]:
        return None
    # The share of bad values from each point to the end; the first bad point from which half of them are.
    share = np.cumsum(bad[::-1])[::-1] / np.arange(len(bad), 0, -1)
    first = np.flatnonzero(bad & (share >= 0.5))
    return int(curve.steps[first[0]]) if len(first) else None


def validation(loss: Curve, curves: Sequence[Curve]) -> Iterator[Known]:
    """The validation loss that the training loss is compared with: the plainest, and of these the longest."""
    found = [c for c in curves if c.role.kind == "loss" and c.role.split == "validation" and len(c) > 1]
    if not found:
        return
    best = min(found, key=lambda c: (c.role.plain, -len(c)))
    steps, values = evenly(best)
    # Where only epochs are counted on one side, points cannot be laid beside each other.
    beside = () if best.placed.counted != loss.placed.counted else around(loss, np.array(steps))
    words = f"{best.name}: {len(best)} points, {values[0]:.4g} first, {min(values):.4g} at best, {values[-1]:.4g} last"
    yield Known(ValidationLoss(best.name, steps, values, beside), words, best.source)


def around(loss: Curve, steps: Whole) -> tuple[float, ...]:
    """The median of a curve over the stretch that leads up to each of some steps."""
    edges = np.searchsorted(loss.steps, steps, side="right")
    width = max(1, min(len(loss) // max(1, len(steps)), len(loss) // 10))
    levels = []
    for edge in edges.tolist():
        part = loss.values[max(0, edge - width) : max(1, edge)]
        part = part[np.isfinite(part)]
        levels.append(float(np.median(part)) if len(part) else float("nan"))
    return tuple(levels)


def restarts(loss: Curve, again: Mapping[str, Sequence[int]]) -> Iterator[Known]:
    """Where steps go back, or a log says that it goes on from a checkpoint."""
    back = [*loss.placed.back]
    series = loss.placed.series
    lines = series.at if series.unit != "offset" else None
    for line in again.get(series.file, ()) if lines is not None else ():
        at = int(np.searchsorted(lines, line)) if lines is not None else 0
        if 0 < at < len(loss) and at not in [place for place, _, _ in back]:
            back.append((at, int(loss.steps[at - 1]), int(loss.steps[at])))
    points = [resumption(loss, *one) for one in sorted(back)[:MOST_RESTARTS]]
    if points:
        words = ", ".join(f"{p.left} → {p.entered}" for p in points[:3])
        yield Known(Resumptions(tuple(points)), f"the run was taken up again, steps {words}", loss.source)


def resumption(loss: Curve, at: int, left: int, entered: int) -> Resumption:
    """The levels of the loss on both sides of a resume."""
    old, new = loss.values[max(0, at - 10) : at], loss.values[at : at + 5]
    old, new = old[np.isfinite(old)], new[np.isfinite(new)]
    noise = float(np.median(np.abs(old - np.median(old)))) * 1.4826 if len(old) > 3 else None
    before, after = (float(np.median(part)) if len(part) else None for part in (old, new))
    return Resumption(left, entered, before, after, noise)


def scores(curves: Sequence[Curve]) -> Iterator[Known]:
    """One score: of the validation data where there is one, the longest."""
    found = [c for c in curves if c.role.kind == "score" and len(c) > 1]
    if found:
        best = max(found, key=lambda c: (c.role.split == "validation", -c.role.plain, len(c)))
        steps, values = evenly(best)
        words = f"{best.name}: {values[0]:.4g} first, {max(values):.4g} at best, {values[-1]:.4g} last"
        yield Known(Scores(best.name, best.role.split, steps, values), words, best.source)


def rates(curves: Sequence[Curve]) -> Iterator[Known]:
    found = [c for c in curves if c.role.kind == "rate" and len(c) > 1 and np.isfinite(c.values).all()]
    if found:
        best = max(found, key=len)
        steps, values = evenly(best)
        words = f"{best.name}: {values[0]:.3g} first, {max(values):.3g} at most, {values[-1]:.3g} last"
        yield Known(LearningRate("", steps, values, values[0]), words, best.source)


def gradients(curves: Sequence[Curve]) -> Iterator[Known]:
    found = [c for c in curves if c.role.kind == "gradient" and len(c) > 1]
    if found:
        best = min(found, key=lambda c: (c.role.plain, -len(c)))
        steps, values = evenly(best)
        words = f"{best.name}: {values[0]:.3g} first, {values[-1]:.3g} last"
        yield Known(GradientNorms(steps, values), words, best.source)

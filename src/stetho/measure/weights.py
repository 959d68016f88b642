"""Weights and activations: how far steps really move the parameters, what they and the layers' outputs look like."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from stetho.evidence import Place
from stetho.facts import (
    Activations,
    LayerActivations,
    LayerUpdate,
    LayerUpdates,
    LayerWeights,
    Moments,
    OptimizerState,
    RoundedUpdates,
    UpdateRatios,
    WeightStatistics,
)
from stetho.measure.samples import Sampled, begun_at, sampled, samples, shape_at
from stetho.measure.series import Measured, finite, middle, optimizer_name, plural
from stetho.recording import Recording, Step, number


def updates(steps: list[Step]) -> Iterator[Measured]:
    seen = [(s.index, s.change, s.rates[0] if s.rates else None) for s in steps if s.change is not None]
    if seen:
        # A step that turns the parameters into NaN has changed them beyond measure.
        ratios = tuple(r if math.isfinite(r) else math.inf for _, r, _ in seen)
        usual = sorted(ratios)[len(ratios) // 2]
        yield (
            UpdateRatios(tuple(i for i, _, _ in seen), ratios, tuple(rate or 0.0 for _, _, rate in seen)),
            f"a step changes the parameters by {usual:.2g} of their norm (median of {len(ratios)} steps)",
        )


def layer_updates(recording: Recording) -> Iterator[Measured]:
    """The real change of each parameter, relative to its norm."""
    columns = list(sampled(recording, "u"))
    layers = tuple(_update(one) for one in columns)
    if not any(layer.samples for layer in layers):
        return
    steps = tuple(sorted({i for one in columns for i in one.steps}))
    levels = [layer.median for layer in layers if layer.median is not None]
    spread = f"{min(levels):.2g} to {max(levels):.2g}"
    told = f"a step changes single parameters by {spread} of their norm (medians, {plural(len(steps), 'sampled step')})"
    yield LayerUpdates(steps, layers), told


def _update(one: Sampled) -> LayerUpdate:
    seen = [v for v in one.values if v is not None]
    return LayerUpdate(
        name=one.name,
        optimizer=one.optimizer,
        size=one.size,
        first=seen[0] if seen else None,
        last=seen[-1] if seen else None,
        median=middle(seen),
        highest=max(finite(seen), default=None),
        samples=len(seen),
        unchanged=sum(v == 0 for v in seen),
        nonfinite=sum(not math.isfinite(v) for v in seen),
    )


def rounded_updates(recording: Recording) -> Iterator[Measured]:
    """How much of the parameters in half precision a step leaves exactly as it was, although it has a gradient."""
    columns = [one for one in sampled(recording, "us") if any(v is not None for v in one.values) and one.size]
    at: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for one in columns:
        for step, value in zip(one.steps, one.values, strict=True):
            if value is not None:
                at[step].append((value, one.size or 0))
    if not at:
        return
    steps = tuple(sorted(at))
    shares = tuple(sum(v * n for v, n in at[i]) / sum(n for _, n in at[i]) for i in steps)
    types = [str(t) for b in recording.of("parameters") for t in b.get("dtypes") or [] if t in ("float16", "bfloat16")]
    fact = RoundedUpdates(
        sum(one.size or 0 for one in columns), steps, shares, max(types, key=types.count, default=None)
    )
    told = f"a step leaves {middle(shares) or 0.0:.0%} of the {fact.elements} weights in {fact.dtype} as they were"
    yield fact, f"{told}, although they have a gradient (median of {plural(len(steps), 'sampled step')})"


def weight_statistics(recording: Recording) -> Iterator[Measured]:
    """Norm, mean, spread and largest magnitude of each parameter, early and late."""
    columns = [list(sampled(recording, key)) for key in ("w", "wm", "ws", "wx")]
    others = [{(one.optimizer, one.position): one for one in column} for column in columns[1:]]
    alike = {(one.optimizer, one.position): one for one in sampled(recording, "wa")}
    layers = tuple(
        _weights(
            one,
            [table.get((one.optimizer, one.position)) for table in others],
            alike.get((one.optimizer, one.position)),
            shape_at(recording, one.optimizer, one.position),
            begun_at(recording, one.optimizer, one.position),
        )
        for one in columns[0]
    )
    if not layers:
        return
    steps = tuple(sorted({i for one in columns[0] for i in one.steps}))
    largest = finite(layer.largest_last for layer in layers)
    told = f", the largest weight at the end is {max(largest):.3g}" if largest else ""
    yield WeightStatistics(steps, layers), f"weights of {plural(len(layers), 'parameter')}{told}"


def _weights(
    norm: Sampled,
    others: list[Sampled | None],
    alike: Sampled | None,
    shape: tuple[int, ...] | None,
    begun: Place | None,
) -> LayerWeights:
    mean, std, largest = (_ends(one) for one in others)
    (first, last) = _ends(norm)
    copies, still = (None if v is None else bool(v) for v in _ends(alike))
    sizes = (*mean, *std, *largest)
    return LayerWeights(norm.name, norm.optimizer, norm.size, first, last, *sizes, shape, copies, still, begun)


def _ends(one: Sampled | None) -> tuple[float | None, float | None]:
    seen = [v for v in one.values if v is not None] if one is not None else []
    return (seen[0], seen[-1]) if seen else (None, None)


def optimizer_state(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """Moments and age of the busiest optimizer's state."""
    if not steps:
        return
    mine = samples(recording).get(steps[0].optimizer, [])
    aged = [(int(b["i"]), int(b["age"])) for b in mine if number(b.get("age")) is not None]
    full = [b for b in mine if b.get("m1") or b.get("m2")]
    if not aged and not full:
        return
    step = int(full[-1]["i"]) if full else None
    name = optimizer_name(recording, steps[0].optimizer)
    fact = OptimizerState(
        optimizer=name,
        steps=tuple(i for i, _ in aged),
        ages=tuple(age for _, age in aged),
        moments=tuple(_moments(recording, steps[0].optimizer, step)) if step is not None else (),
        moments_step=step,
    )
    told = f"the state of {name} had seen {aged[-1][1]} steps at step {aged[-1][0]}" if aged else f"{name} keeps state"
    yield fact, told


def _moments(recording: Recording, optimizer: int, step: int) -> Iterator[Moments]:
    """Root mean squares at one step; the samples hold norms of gradient and first moment."""

    def column(key: str) -> dict[int, Sampled]:
        return {one.position: one for one in sampled(recording, key) if one.optimizer == optimizer}

    first, second = column("m1"), column("m2")
    for position, one in column("g").items():
        yield Moments(
            name=one.name,
            gradient=_mean_square(_at(step, one), one.size),
            first=_mean_square(_at(step, first.get(position)), one.size),
            second=_at(step, second.get(position)),
        )


def _at(step: int, one: Sampled | None) -> float | None:
    return dict(zip(one.steps, one.values, strict=True)).get(step) if one is not None else None


def _mean_square(norm: float | None, size: int | None) -> float | None:
    return norm / math.sqrt(size) if norm is not None and size else None


def activations(recording: Recording) -> Iterator[Measured]:
    """What the layers put out, early and late."""
    rows: dict[tuple[str, str], list[list[Any]]] = defaultdict(list)
    steps = []
    for body in recording.of("activations"):
        steps.append(int(body["i"]))
        for row in body.get("layers") or ():
            rows[str(row[0]), str(row[1])].append([*row, *[None] * (11 - len(row))])
    layers = tuple(_activations(recording, name, kind, seen) for (name, kind), seen in rows.items())
    if layers:
        dead = [layer for layer in layers if layer.dead_last]
        worst = max(dead, key=lambda layer: layer.dead_last or 0.0, default=None)
        told = f"; {worst.dead_last:.0%} of the units of {worst.name} are 0 for a whole batch" if worst else ""
        looked = f"outputs of {plural(len(layers), 'layer')} on {plural(len(set(steps)), 'sampled step')}"
        yield Activations(tuple(sorted(set(steps))), layers), looked + told


def _activations(recording: Recording, name: str, kind: str, rows: list[list[Any]]) -> LayerActivations:
    columns = list(zip(*(row[2:7] for row in rows), strict=True))
    mean, std, dead, saturated = ([n for v in column if (n := number(v)) is not None] for column in columns[:4])
    return LayerActivations(
        name=name,
        kind=kind,
        where=recording.place(rows[0][7]),
        samples=len(rows),
        mean_first=mean[0] if mean else None,
        mean_last=mean[-1] if mean else None,
        std_first=std[0] if std else None,
        std_last=std[-1] if std else None,
        dead_first=dead[0] if dead else None,
        dead_last=dead[-1] if dead else None,
        saturated_first=saturated[0] if saturated else None,
        saturated_last=saturated[-1] if saturated else None,
        nonfinite=sum(int(bad or 0) for bad in columns[4]),
        dropped=middle([share for row in rows if (share := number(row[8])) is not None]),
        varies=next((v for row in reversed(rows) if (v := number(row[9])) is not None), None),
        values_per_unit=None
        if (each := middle([v for row in rows if (v := number(row[10])) is not None])) is None
        else int(each),
    )

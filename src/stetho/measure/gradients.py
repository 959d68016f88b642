"""Gradients: their norms, whether they are cleared, clipped or skipped, and how they spread over the layers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from stetho.facts import (
    Clipping,
    GradientNoise,
    GradientNorms,
    GradientReset,
    LayerGradient,
    LayerGradients,
    SkippedSteps,
)
from stetho.measure.loading import prints
from stetho.measure.samples import Sampled, sampled
from stetho.measure.series import Measured, finite, known, middle, optimizer_name, plural, thin
from stetho.recording import Recording, Step, number


def gradient_reset(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    later = [s for s in steps if s.index > 0]
    if not later:
        return
    name = optimizer_name(recording, steps[0].optimizer)
    kept = sum(s.kept for s in later)
    step_at = next((recording.place(s.at) for s in steps if s.at is not None), None)
    losses = Counter(site for s in steps for site, _ in s.losses)
    backward = recording.place(losses.most_common(1)[0][0]) if losses else None
    summary = f"{name}: gradients not cleared before {kept} of {len(later)} steps"
    yield GradientReset(name, len(later), kept, step_at, backward), summary


def gradient_norms(steps: list[Step]) -> Iterator[Measured]:
    seen = [(s.index, s.gradient) for s in steps if s.gradient is not None]
    if seen:
        estimated = sum(s.estimated for s in steps if s.gradient is not None)
        kept = _largest(seen)
        fact = GradientNorms(tuple(i for i, _ in kept), tuple(g for _, g in kept), estimated)
        yield (
            fact,
            f"gradient norm {seen[0][1]:.3g} at the first step, {seen[-1][1]:.3g} at step {seen[-1][0]}",
        )


def _largest(seen: list[tuple[int, float]], most: int = 4000) -> list[tuple[int, float]]:
    """A series short enough to keep in which no spike is lost: the largest norm of each stretch of steps."""
    width = math.ceil(len(seen) / most)
    stretches = (seen[i : i + width] for i in range(0, len(seen), width))
    return [max(part, key=lambda one: math.inf if math.isnan(one[1]) else one[1]) for part in stretches]


def clipping(steps: list[Step]) -> Iterator[Measured]:
    """How often the norm was above its limit."""
    seen = [(s.index, *s.clip) for s in steps if s.clip is not None]
    if not seen:
        return
    kept = thin(seen)
    fact = Clipping(
        calls=len(seen),
        fired=sum(norm > limit for _, norm, limit in seen),
        steps_in_all=len(steps),
        limit_first=seen[0][2],
        limit_last=seen[-1][2],
        steps=tuple(i for i, _, _ in kept),
        norms=tuple(norm for _, norm, _ in kept),
        limits=tuple(limit for _, _, limit in kept),
    )
    yield (
        fact,
        f"gradients are clipped at {fact.limit_last:.3g}; the norm was above it in {fact.fired} of {fact.calls} steps",
    )


def skipped_steps(recording: Recording) -> Iterator[Measured]:
    """Steps that a gradient scaler left out."""
    left_out, scaler = recording.of("skipped"), recording.of("scaler")
    if not left_out and not scaler:
        return
    # A step that is left out does not raise the count: those in a row have the same number.
    runs = Counter((body.get("o"), body.get("i")) for body in left_out)
    scales = [e.body.get("scale") for e in recording.events if e.kind in ("skipped", "scaler")]
    seen = known(scales)
    fact = SkippedSteps(
        skipped=len(left_out),
        taken=len(recording.steps),
        longest=max(runs.values(), default=0),
        steps=thin([int(body["i"]) for body in left_out if number(body.get("i")) is not None]),
        scale_first=seen[0] if seen else None,
        scale_last=seen[-1] if seen else None,
        scale_lowest=min(seen) if seen else None,
    )
    scale = f"; its scale went from {seen[0]:.3g} to {seen[-1]:.3g}" if seen else ""
    yield fact, f"the gradient scaler left out {plural(fact.skipped, 'step')} beside {fact.taken} taken{scale}"


def gradient_noise(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """What neighbouring gradients share, and the loss that the rest of them comes to."""
    mine = [b for b in recording.of("noise") if b["o"] == steps[0].optimizer] if steps else []
    seen = [(int(b["i"]), number(b.get("shared")), number(b.get("pull"))) for b in mine]
    whole = [(i, shared, pull / 4) for i, shared, pull in seen if shared is not None and pull is not None]
    if not whole:
        return
    rows = Counter(int(b["step"]) for b in recording.of("batch") if b.get("phase") == "train" for _ in prints(b))
    batch = middle(list(map(float, rows.values())))
    kept = thin(whole)
    fact = GradientNoise(
        steps=tuple(i for i, _, _ in kept),
        shared=tuple(shared for _, shared, _ in kept),
        floor=tuple(floor for _, _, floor in kept),
        batch=None if batch is None else round(batch),
        last=steps[-1].index,
    )
    step, shared, floor = whole[-1]
    of = f" of {plural(fact.batch, 'sample')}" if fact.batch is not None else ""
    yield fact, f"gradients{of} share {shared:.0%} at step {step}; their noise comes to a loss of {floor:.2g}"


def layer_gradients(recording: Recording) -> Iterator[Measured]:
    """Gradient norms parameter by parameter."""
    found = [_layer(one) for one in sampled(recording, "g")]
    layers = tuple(layer for layer in found if layer is not None)
    if not layers:
        return
    steps = tuple(sorted({int(body["i"]) for body in recording.of("sample")}))
    levels = [layer.median for layer in layers if layer.median]
    absent = sum(layer.absent == layer.samples for layer in layers)
    spread = f"medians from {min(levels):.2g} to {max(levels):.2g}" if levels else "none above zero"
    missing = f", {absent} without a gradient" if absent else ""
    told = f"gradient norms of {plural(len(layers), 'parameter')} on {plural(len(steps), 'sampled step')}"
    yield LayerGradients(steps, layers), f"{told}: {spread}{missing}"


def _layer(one: Sampled) -> LayerGradient | None:
    if not one.values:
        return None
    norms = [v for v in one.values if v is not None]
    good = finite(norms)
    return LayerGradient(
        name=one.name,
        optimizer=one.optimizer,
        size=one.size,
        first=norms[0] if norms else None,
        last=norms[-1] if norms else None,
        median=middle(norms),
        lowest=min(good, default=None),
        highest=max(good, default=None),
        samples=len(one.values),
        absent=len(one.values) - len(norms),
        zero=sum(v == 0 for v in norms),
        nonfinite=sum(not math.isfinite(v) for v in norms),
    )

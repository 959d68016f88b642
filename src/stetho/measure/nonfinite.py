"""NaN and Inf: how many steps met them, and which operation made the first one."""

from __future__ import annotations

import math
from collections.abc import Iterator

from stetho.facts import NonfiniteOrigin, NonfiniteSteps, Unlocalised
from stetho.measure.samples import sampled
from stetho.measure.series import Measured
from stetho.recording import Recording, Step, number


def bad_losses(steps: list[Step]) -> list[int]:
    return [s.index for s in steps if any(not math.isfinite(v) for _, v in s.losses)]


def bad_gradients(steps: list[Step]) -> list[int]:
    return [s.index for s in steps if s.gradient is not None and not math.isfinite(s.gradient)]


def nonfinite_steps(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """Which steps met NaN or Inf; a fact also when none did."""
    if not steps:
        return
    losses, gradients = bad_losses(steps), bad_gradients(steps)
    lost = {
        one.name: next(
            (i for i, v in zip(one.steps, one.values, strict=True) if v is not None and not math.isfinite(v))
        )
        for one in sampled(recording, "w")
        if any(v is not None and not math.isfinite(v) for v in one.values)
    }
    fact = NonfiniteSteps(
        steps=len(steps),
        losses=len(losses),
        gradients=len(gradients),
        first_loss=min(losses, default=None),
        first_gradient=min(gradients, default=None),
        parameters=tuple(lost)[:20],
        first_parameter=min(lost.values(), default=None),
    )
    yield fact, f"NaN or Inf in the loss of {len(losses)} and in the gradient of {len(gradients)} of {len(steps)} steps"


def origin(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """The first operation that made NaN or Inf; once the parameters are lost, every operation does."""
    bad = bad_gradients(steps) + bad_losses(steps)
    seen = [o for o in recording.of("origin") if o["step"] <= min(bad, default=o["step"])]
    # A constant made infinite on purpose (a mask) does not lie on the way to the loss.
    on_path = [o for o in seen if o.get("graph") or o["phase"] != "forward"] or seen
    for body in on_path[:1]:
        frames = recording.places(body.get("site"))
        fact = NonfiniteOrigin(
            step=body["step"],
            operation=body["op"],
            phase=body["phase"],
            where=frames[0] if frames else None,
            frames=frames,
            input_min=number(body.get("low")),
            input_max=number(body.get("high")),
            input_zeros=body.get("zeros") or 0,
            input_size=body.get("size") or 0,
            divisor_zeros=body.get("divisor_zeros") or 0,
            module=body.get("module"),
            replayed=body.get("replayed"),
            sample=body.get("sample"),
        )
        what = (
            f"{fact.input_zeros} zeros among {fact.input_size} inputs" if fact.input_zeros else "no zero in its input"
        )
        inside = f" in {fact.module}" if fact.module else ""
        told = f"{fact.operation} ({fact.phase}){inside} gives the first NaN or Inf at step {fact.step}"
        yield fact, f"{told}, {fact.where}: {what}"


def unlocalised(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """What kept the origin from being found, when it was looked for and not found."""
    if next(origin(recording, steps), None) is not None:
        return
    for body in recording.of("unlocalised")[:1]:
        fact = Unlocalised(int(body["step"]), str(body.get("why") or "unknown"), body.get("what"))
        yield fact, f"the origin of the NaN or Inf at step {fact.step} was not found: {fact.why}"

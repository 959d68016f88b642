"""Whether a model of several layers is one linear map of its input, and a shift."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .influence import Probe

# Samples needed, and how far the answer to a mean may be from the mean of the answers, as a share of their distance.
LEAST, NEAR = 4, 1e-3


def affine(probe: Probe) -> dict[str, Any] | None:
    """Compares the answers to means of two samples with the means of their answers."""
    given = next((t for t in probe.given if t.is_floating_point() and t.dim() > 1 and t.shape[0] >= LEAST), None)
    layers = sum(1 for m in probe.module.modules() if any(p.dim() > 1 for p in m.parameters(recurse=False)))
    if given is None or not probe.steady or layers < 2:
        return None
    other = given.roll(1, dims=0)
    _, theirs = probe.run({id(given): other})
    _, between = probe.run({id(given): (given + other) / 2})
    bent = [
        far(one, two, middle)
        for one, two, middle in zip(probe.outputs, theirs, between)
        if one.dim() and one.shape == two.shape == middle.shape and one.shape[0] == given.shape[0]
    ]
    known = [share for share in bent if share is not None]
    return {"about": "affine", "layers": layers, "affine": max(known) < NEAR} if known else None


def far(one: Any, two: Any, middle: Any) -> float | None:
    """How far the middle is from where a straight line would have it; None where the two ends are one."""
    apart = float((one - two).abs().max())
    return float((middle - (one + two) / 2).abs().max()) / apart if apart > 0 else None

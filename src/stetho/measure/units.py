"""How the units of the inputs move while a run goes on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from stetho.facts import InputUnits
from stetho.measure.series import Measured, thin
from stetho.recording import Recording

# Looks that are needed to speak of a course.
LEAST = 4


def input_units(recording: Recording) -> Iterator[Measured]:
    """The shift and scale of each look beside those of the one before, on the samples of all looks."""
    import numpy as np

    found = recording.of("units")
    sizes = [len(b["a"]) for b in found]
    looks = [b for b in found if len(b["a"]) == max(sizes, key=sizes.count)]
    tables = [np.array([b[key] for b in looks], float) for key in "abms"]
    if len(looks) < LEAST or not all(np.isfinite(table).all() for table in tables):
        return
    scales, shifts, means, spreads = tables
    centre = means.mean(0)
    spread = np.sqrt((spreads**2).mean(0) + means.var(0))
    varies = spread > 0
    if not varies.any():
        return
    moved = [0.0]
    for (a, b), (c, d) in pairwise(zip(scales, shifts, strict=True)):
        # In spreads of the input: a sample in the middle, and one that is a spread away from it.
        width = np.maximum(np.abs(a), np.abs(c)) * spread
        size = np.sqrt(((c - a) * centre + d - b) ** 2 + ((c - a) * spread) ** 2)[varies] / width[varies]
        moved.append(float(np.sqrt((np.minimum(size, 10.0) ** 2).mean())))
    kept = thin(list(zip((int(b["step"]) for b in looks), moved, strict=True)), 100)
    fact = InputUnits(
        tuple(step for step, _ in kept),
        tuple(size for _, size in kept),
        follows(scales, shifts, means),
        int(varies.sum()),
    )
    late = sorted(moved[len(moved) // 2 :])
    yield (
        fact,
        f"the same sample enters the model moved by {late[len(late) // 2]:.2g} spreads from look to look, late on",
    )


def follows(scales: Any, shifts: Any, means: Any) -> float | None:
    """How much of what batches differ by in their means is gone from what enters the model."""
    import numpy as np

    centres = -shifts / scales
    apart = means.var(0)
    used = apart > 1e-12
    if not used.any():
        return None
    left = (means - centres).var(0)[used] / apart[used]
    return float(1 - min(1.0, np.median(left)))

"""Numbers that are only called after their data, as in `train 0.69, valid 0.70`: what they are, their course tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stetho.logged.roles import TRAINING, VALIDATION, Kind, Role, Split

if TYPE_CHECKING:
    from stetho.logged.assembly import Curve
    from stetho.series import Floats

FEWEST, MOVED = 4, 0.02
LEARNING = TRAINING | {"learn"}


def told_by_course(curves: Sequence[Curve]) -> list[Curve]:
    """The curves, with roles for those that have only the name of their data; as they are where others say a loss."""
    training = next((c for c in curves if c.name.lower() in LEARNING), None)
    named = any(c.role.kind in ("loss", "reward") for c in curves)
    kind = course(training.values) if training is not None and not named else None
    if kind is None:
        return list(curves)
    return [replace(c, role=Role(kind, split)) if (split := split_of(c.name)) is not None else c for c in curves]


def split_of(name: str) -> Split | None:
    return "training" if name.lower() in LEARNING else "validation" if name.lower() in VALIDATION else None


def course(values: Floats) -> Kind | None:
    """What training makes less of is a loss, what it makes more of and is a share is a score; else it is not known."""
    finite = values[np.isfinite(values)]
    if len(finite) < FEWEST:
        return None
    part = max(1, len(finite) // 4)
    first, last = float(np.median(finite[:part])), float(np.median(finite[-part:]))
    if last < first - MOVED * abs(first):
        return "loss"
    share = finite.min() >= 0 and finite.max() <= 100
    return "score" if share and last > first + MOVED * abs(first) else None

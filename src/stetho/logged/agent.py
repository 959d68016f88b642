"""An agent's progress, by the names that its curves have: rewards, the policy's entropy, the critic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from stetho.facts import AgentProgress
from stetho.logged.assembly import Curve, Known
from stetho.logged.roles import words_of

if TYPE_CHECKING:
    from stetho.series import Floats

LEAST = 10
# The entropy is gone below this share of its beginning.
GONE = 0.05


def agent_progress(curves: Sequence[Curve]) -> Iterator[Known]:
    """What a run with rewards logged; nothing where there are too few of them."""
    rewards = [c for c in curves if c.role.kind == "reward" and count(c) >= LEAST]
    if not rewards:
        return
    best = min(rewards, key=lambda c: (spread_of(c), c.role.split == "validation", -len(c)))
    values = finite(best)
    tenth = max(2, len(values) // 10)
    levels = [float(np.median(values[i : i + tenth])) for i in range(0, len(values) - tenth + 1, tenth)]
    noise = 1.0484 * float(np.median(np.abs(np.diff(values))))
    entropy = named(curves, {"entropy"}, without={"cross", "coef", "coefficient", "target", "weight", "scale"})
    gone = entropy_gone(entropy) if entropy is not None else None
    length = named(curves, {"length", "len", "lengths"}, without={"seq", "sequence", "token"})
    fact = AgentProgress(
        reward=best.name, points=len(values), early=levels[0], late=levels[-1], best=max(levels), noise=noise,
        size=float(np.median(np.abs(values))), length=late_level(length),
        entropy_first=float(np.median(np.abs(finite(entropy)[:3]))) if entropy is not None else None,
        entropy_late=late_level(entropy), entropy_gone=gone[0] if gone is not None else None,
        entropy_gone_step=gone[1] if gone is not None else None,
        explained=late_level(named(curves, {"explained", "ev"})),
        value_loss=late_level(named(curves, {"value", "critic", "vf", "qf"}, kind="loss")),
    )  # fmt: skip
    words = f"{best.name}: {fact.early:.4g} in the first tenth, {fact.best:.4g} at best, {fact.late:.4g} in the last"
    if gone is not None:
        words += f"; {entropy.name if entropy is not None else ''} is as good as 0 from step {gone[1]} on"
    yield Known(fact, words, best.source)


def named(curves: Sequence[Curve], words: Set[str], *, without: Set[str] = frozenset(), kind: str = "") -> Curve | None:
    """The longest curve whose name has one of some words."""
    found = [
        c for c in curves
        if words & words_of(c.name) and not without & words_of(c.name) and count(c) >= LEAST
        and (not kind or c.role.kind == kind)
    ]  # fmt: skip
    return max(found, key=len) if found else None


def spread_of(curve: Curve) -> bool:
    """Whether a curve is of how far rewards differ, and not of the rewards."""
    return bool(words_of(curve.name) & {"std", "var", "min", "max", "variance", "scale", "coef"})


def finite(curve: Curve) -> Floats:
    return curve.values[np.isfinite(curve.values)]


def count(curve: Curve) -> int:
    return int(np.count_nonzero(np.isfinite(curve.values)))


def late_level(curve: Curve | None) -> float | None:
    """The median magnitude of the last half; signs are kept where they differ."""
    if curve is None:
        return None
    values = finite(curve)
    middle = float(np.median(values[len(values) // 2 :]))
    return abs(middle) if "entropy" in words_of(curve.name) else middle


def entropy_gone(curve: Curve) -> tuple[float, int] | None:
    """After which share of the run, and at which step, the entropy is as good as 0 for good."""
    values = np.abs(np.where(np.isfinite(curve.values), curve.values, 0.0))
    first = float(np.median(values[:3]))
    there = np.flatnonzero(values > GONE * first)
    if first <= 0 or not len(there) or there[-1] + 1 >= 0.9 * len(values):
        return None
    at = int(there[-1]) + 1
    return at / len(values), int(curve.steps[at])

"""What is said of a change in the end."""

from __future__ import annotations

import math
from dataclasses import dataclass

from stetho.experiment import ExperimentOutcome
from stetho.paired import Difference


@dataclass(frozen=True)
class Judged:
    """What came of a change, in a word and in a sentence with its numbers."""

    outcome: ExperimentOutcome
    detail: str
    before: float | None = None
    after: float | None = None
    measure: str = "loss"
    """What `before` and `after` are: loss, loss over its own start, accuracy, explained variance or pace."""
    difference: Difference | None = None
    """The two runs beside each other, with the noise; None when the outcome rests on something else."""

    @property
    def certainty(self) -> float | None:
        """How sure it is that there is a difference of this sign at all; None where noise plays no part."""
        found = self.difference
        return None if found is None else math.erf(min(40.0, abs(found.sigmas)) / math.sqrt(2))


def told(measure: str, before: float | None, after: float | None) -> str:
    """Where both runs end, as the beginning of a sentence."""
    one, two = ("?" if level is None else f"{level:.4g}" for level in (before, after))
    return f"final {measure} {one} -> {two}"

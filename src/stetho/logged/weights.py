"""Weights that a run has lost: what its newest checkpoint holds."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from stetho.facts import Checkpoint, Checkpoints, WeightFlaw

# A mask is infinite on purpose; a record of the best score so far begins so.
ON_PURPOSE = re.compile(r"mask|bias_?cache|best_|score|monitor|callbacks?\b|metric", re.IGNORECASE)
# Checkpoints that were written within so many seconds are copied, and not in the order of their times.
TOGETHER = 5.0


@dataclass(frozen=True)
class Lost:
    """The checkpoint that holds no numbers any more."""

    file: str
    words: str
    good: str = ""
    """The last checkpoint before it that is well."""


def lost_weights(checkpoints: Checkpoints) -> Lost | None:
    """The first checkpoint whose weights are lost, when no later one is well."""
    looked = sorted((one for one in checkpoints.found if one.state == "whole" and one.scanned), key=age)
    bad = [one for one in looked if lost(one)]
    if not bad or looked[-1] not in bad:
        return None
    first = bad[0]
    before = [one for one in looked[: looked.index(first)] if one.tensors == first.tensors]
    flaws = [flaw for flaw in first.flaws if counts(flaw)]
    names = ", ".join(flaw.name for flaw in flaws[:3]) + (" and others" if len(flaws) > 3 else "")
    good = before[-1].file if before else ""
    words = f"{first.file} holds NaN or Inf in {len(flaws)} of {first.scanned} tensors ({names})"
    return Lost(first.file, words + (f"; {good} is well" if good else ""), good)


def lost(one: Checkpoint) -> bool:
    """Whether weights are not finite as a step leaves them: several through and through, or most of them."""
    flaws = [flaw for flaw in one.flaws if counts(flaw)]
    return sum(flaw.bad == flaw.elements for flaw in flaws) > 1 or 2 * len(flaws) > one.scanned


def counts(flaw: WeightFlaw) -> bool:
    return flaw.what == "nonfinite" and not ON_PURPOSE.search(flaw.name)


def age(one: Checkpoint) -> tuple[float, tuple[int, ...], str]:
    """The order in which checkpoints were written: by time where times differ, else by the numbers in their names."""
    numbers: Sequence[str] = re.findall(r"\d{1,15}", os.path.join(*os.path.normpath(one.file).split(os.sep)[-2:]))
    return one.modified // TOGETHER, tuple(int(n) for n in numbers), one.file

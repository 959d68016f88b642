"""Write the learning rate that worked where the program gets it from: command, call, code or config."""

from __future__ import annotations

from collections.abc import Iterator

from stetho.facts import LearningRate
from stetho.fixes import Cure, Grounds
from stetho.setting import Setting, changed

CURES = ("hp/lr-too-high", "hp/lr-too-low")
WORDS = "lr|rate|alpha|eta|step"


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    rate = grounds.get(LearningRate)
    factor = best_factor(grounds)
    if rate is None or factor is None:
        return
    # A schedule starts somewhere below the rate that the program was given; that one is the highest.
    for old in dict.fromkeys((max(rate.values), rate.initial)):
        yield from changed(grounds, Setting(old, float(f"{old * factor:.3g}"), WORDS, rate.frames, of="rate"))


def best_factor(grounds: Grounds) -> float | None:
    """The factor of the control that did best."""
    tried = [
        (x.after, float(x.change.value[1:]))
        for x in grounds.experiments
        if x.change.name == "lr" and x.change.value.startswith("x") and x.outcome in ("symptom-gone", "better")
    ]
    known = [(after, factor) for after, factor in tried if after is not None]
    return min(known)[1] if known else None

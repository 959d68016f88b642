"""Write a weight decay a hundred times smaller where the program gets it from."""

from __future__ import annotations

from collections.abc import Iterator

from stetho.facts import LearningRate, Optimizers
from stetho.fixes import Cure, Grounds
from stetho.setting import Setting, changed

CURES = ("hp/weight-decay-too-high",)
SMALLER = 0.01


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    found, rate = grounds.get(Optimizers), grounds.get(LearningRate)
    for one in sorted(found.optimizers if found is not None else (), key=lambda one: -one.steps)[:1]:
        if one.decay:
            frames = rate.frames if rate is not None else (one.where,) if one.where is not None else ()
            new = float(f"{one.decay * SMALLER:.3g}")
            yield from changed(grounds, Setting(one.decay, new, "decay|wd|l2", frames, of="decay"))

"""Write a limit above the usual norm of the gradient where clipping throttles every step."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from stetho.facts import CallOrder, Clipping
from stetho.fixes import Cure, Grounds
from stetho.setting import Setting, changed

CURES = ("train/clip-too-tight",)
ABOVE = 2.0


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    clip, order = grounds.get(Clipping), grounds.get(CallOrder)
    if clip is None or not clip.norms or clip.limit_first != clip.limit_last:
        return
    usual = float(f"{ABOVE * median(clip.norms):.2g}")
    if usual > clip.limit_first > 0:
        frames = order.clips if order is not None else ()
        yield from changed(grounds, Setting(clip.limit_first, usual, "clip|norm", frames))

"""Backwards that no step follows: a program that has an optimizer and never calls its step leaves its losses here."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ..record.steps import number

if TYPE_CHECKING:
    from ..watch import Watch

# So many backwards in a row are gathered for no step; and so few say nothing when the program ends.
MANY, FEW = 192, 12


class Unstepped:
    """Writes each backward down as if it were a step, once it is clear that no step comes."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.on = True
        self.count = 0

    def backward(self) -> None:
        """One more backward, and no step so far."""
        self.count += 1
        if self.count > MANY:
            self.write()

    def ends(self) -> None:
        """The program ends: what was gathered is all there is."""
        if self.on and self.count >= FEW:
            self.write()

    def write(self) -> None:
        """One row for each loss, without a gradient norm: nothing has used the gradient."""
        watch = self.watch
        watched = next(iter(watch.optimizers.values()), None)
        losses = watch.backwards.taken() + (watched.pending if watched is not None else [])
        if watched is None:
            return
        watched.pending = []
        order = watch.procedure.taken().replace("s", "") or "b"
        rates = [number(g.get("lr")) for g in watched.optimizer.param_groups]
        for loss in losses:
            row: tuple[Any, ...] = ([loss], [], rates, None, 1, None, 0.0, 0.0, 0.0, None, order)
            watched.block.add(watched.steps, False, row)
            watched.steps += 1
        watch.step = max(watch.step, watched.steps)
        if watch.bound and watched.steps >= watch.bound:
            watch.process.finish("bound")
        if watch.journal.due(time.monotonic()):
            watch.journal.flush()

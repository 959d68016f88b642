"""Parameters that ask for no gradient at first and are thawed later: whether an optimizer takes them then."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..sites import Place
    from ..watch import Watch

# Steps between looks, and looks at which thawed parameters must have stood still with a gradient at hand.
EVERY, LOOKS = 4, 4
# Parameters whose values are compared; what leaves out some leaves out all.
COMPARED = 3


class Thawing:
    """Frozen parameters that get gradients later on, and that nothing applies."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.asleep: list[weakref.ref[Any]] = []
        self.scopes: list[tuple[int, Place, str, weakref.ref[Any], frozenset[int]]] = []
        self.stood: list[float] = []
        self.looks = self.since = self.looked = 0

    def let_go(self) -> None:
        """Look no more."""
        self.asleep, self.scopes = [], []

    def begin(self, scopes: list[tuple[int, Place, str, weakref.ref[Any], frozenset[int]]]) -> None:
        """Remember what is frozen after the first steps."""
        roots = self.watch.modules.live_roots()
        found = {id(p): p for root in roots for p in root.parameters() if not p.requires_grad}
        self.asleep = [weakref.ref(p) for p in found.values()]
        self.scopes = scopes if found else []

    def awake(self) -> list[Any]:
        """Those that ask for gradients now, have one, and are in no optimizer."""
        asked = [p for ref in self.asleep if (p := ref()) is not None and p.requires_grad and p.grad is not None]
        held = {id(p) for w in self.watch.optimizers.values() for p in w.parameters()} if asked else set()
        return [p for p in asked if id(p) not in held]

    def step_ended(self, step: int) -> None:
        """Write down what has been thawed, gets gradients, and stands still for several looks."""
        if not self.asleep or step % EVERY or step == self.looked:
            return
        self.looked = step
        found = self.awake()
        stood = [float(p.detach().double().sum()) for p in sorted(found, key=lambda p: int(p.numel()))[:COMPARED]]
        if not found or stood != self.stood:
            self.looks, self.since = 0, step
        self.stood = stood
        self.looks += bool(found)
        if self.looks >= LOOKS:
            self.write(found)
            self.let_go()

    def write(self, found: list[Any]) -> None:
        """The record of it, with the names by which a person can find them."""
        from .coverage import made_at, names, scopes_of

        modules, ids = self.watch.modules, {id(p) for p in found}
        held = {id(p) for w in self.watch.optimizers.values() for p in w.parameters()}
        covering, extra, _ = scopes_of(modules, ids, held, self.scopes)
        self.watch.journal.write(
            "thawed",
            step=self.since,
            left_out=sum(p.numel() for p in found),
            names=names(modules, found)[:20],
            covering=covering,
            extra=extra,
            made=made_at(modules, ids),
        )

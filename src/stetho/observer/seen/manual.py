"""Steps of programs that update their parameters by hand, with no optimizer: told by parameters that have moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import leaves_of
from ..unseen import unrecorded
from .gradients import local, norms, total
from .history import sequence

if TYPE_CHECKING:
    from ..watch import Watch


class ByHand:
    """What the watch reads of an optimizer, for parameters that have none."""

    def __init__(self, parameters: list[Any]) -> None:
        self.defaults: dict[str, Any] = {}
        self.state: dict[Any, Any] = {}
        self.param_groups: list[dict[str, Any]] = [{"params": parameters, "lr": None}]


class Manual:
    """Begins a step after each backward, and ends it at the next one if the parameters have changed meanwhile."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.on = True
        self.standin: ByHand | None = None
        self.leaves: list[Any] = []
        self.before: list[float] = []
        self.sequence = 0

    def backward_begins(self, loss: Any) -> None:
        """End the step before, if there was one; note which parameters this loss reaches."""
        if any(w.optimizer is not self.standin for w in self.watch.optimizers.values()):
            self.on = False
            self.let_go()
            return
        self.end_step()
        if self.standin is None:
            self.leaves = [p for p in leaves_of(loss) if p.is_leaf and p.is_floating_point() and p.numel()]

    def backward_ended(self, gradients: list[Any] | None = None) -> None:
        """Begin a step: its gradients are there, or were handed to the program, and the update is still to come."""
        if not self.leaves:
            return
        if self.standin is None:
            if self.before and self.before == self.state():
                return
            # Only a second backward after a change shows that the program trains; the first is not counted as a step.
            if not self.before:
                self.before = self.state()
                return
            self.standin = ByHand(self.leaves)
        self.before = self.state()
        self.sequence = sequence()
        self.watch.before_step(self.standin, (), {})
        if gradients is not None:
            self.watch.known(self.standin).norm = total(norms(gradients))

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.standin, self.leaves = None, []

    def end_step(self) -> None:
        """Write the step down, if the parameters are no longer what they were; else gradients are being gathered."""
        if self.standin is not None and self.before != self.state():
            self.watch.after_step(self.standin, (), {})
            watched = self.watch.known(self.standin)
            watched.sequence = self.sequence
            if watched.marker is not None:
                # The step ended long ago: whether it was cleared since then shows now.
                watched.cleared = not bool(local(watched.marker[1]).detach().any())

    def state(self) -> list[float]:
        """A sum over each of a few small parameters, by which a change is told however it was made."""
        some = sorted(self.leaves, key=lambda p: p.numel())[:3]
        with unrecorded():
            return [float(local(p).detach().double().sum()) for p in some]

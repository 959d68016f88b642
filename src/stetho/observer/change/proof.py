"""What a change has to show for itself: that it was made, and that its effect was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..watch import Watch

# Reasons kept for one experiment; a program that refuses in a thousand ways has said enough with the first.
REASONS = 8


class Proof:
    """Counts and reasons, put on record whenever they have changed."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.count = 0
        self.confirmed = 0
        self.refusals: dict[str, int] = {}
        self.contradictions: dict[str, int] = {}
        self.alters = ""
        self.told: tuple[Any, ...] = ()

    def applied(self, times: int = 1) -> None:
        """Count an application; an experiment without any is no evidence."""
        self.count += times

    def verified(self, times: int = 1) -> None:
        """Count a look at the result, by other means than those of the change, that found it as it should be."""
        self.confirmed += times

    def refused(self, reason: str) -> None:
        """Say why the change could not be made here; told when it could be made nowhere."""
        if reason in self.refusals or len(self.refusals) < REASONS:
            self.refusals[reason] = self.refusals.get(reason, 0) + 1

    def contradicted(self, what: str) -> None:
        """Say that the change was made and its effect did not show, or showed elsewhere: the run is no evidence."""
        if what in self.contradictions or len(self.contradictions) < REASONS:
            self.contradictions[what] = self.contradictions.get(what, 0) + 1

    def alters_loss(self) -> None:
        """Say that the loss of this run is another quantity than the base's, where only the program can tell."""
        self.alters = "loss"

    def reporting(self) -> None:
        """Somebody may have something to add before the record is written."""

    def report(self) -> None:
        """Put on record what the change has done so far, which decides whether the experiment counts."""
        self.reporting()
        reasons = sum(self.refusals.values()), sum(self.contradictions.values())
        state = (self.count, self.confirmed, *reasons, self.alters)
        if state != self.told:
            self.told = state
            self.watch.journal.write(
                "applied",
                count=self.count,
                verified=self.confirmed,
                refused=list(self.refusals),
                contradicted=list(self.contradictions),
                alters=self.alters,
            )

    def tell(self, kind: str, **fields: Any) -> None:
        """Put something on record for whoever reads the run."""
        self.watch.journal.write(kind, **fields)

"""A setting of an optimizer's groups, lent for the length of a step, so that schedulers see their own numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Optional

if TYPE_CHECKING:
    from .run import Run

Value = Callable[[Any, Any, Any], Optional[Any]]
"""`value(optimizer, group, was)`: what to lend in place of the group's own, if anything."""
Look = Callable[[Any], str]
"""`look(group)`: what speaks against it after the step, if anything."""
NAMES = {"lr": "learning rate", "weight_decay": "weight decay"}


@dataclass(frozen=True)
class Loan:
    """What a group was lent, if anything, and by the step of which optimizer."""

    optimizer: Any
    group: Any
    was: Any
    number: float | None


class Lending:
    """Lends at the outermost step: an optimizer that wraps another shares its groups, and steps with it."""

    def __init__(self, run: Run, key: str, value: Value, look: Look | None) -> None:
        self.run, self.key, self.value, self.look = run, key, value, look
        self.loans: dict[int, Loan] = {}
        run.on_step(self.lend)
        run.on_stepped(self.look_and_restore)

    def of(self, group: Any) -> Loan | None:
        """What a group is lent just now."""
        loan = self.loans.get(id(group))
        return None if loan is None or loan.number is None else loan

    def lend(self, optimizer: Any) -> None:
        """A step begins; all values are found before any is lent, as groups may be compared."""
        # A step that raised has no end.
        self.restore(optimizer)
        found = []
        for group in optimizer.param_groups:
            if group.get(self.key) is None:
                self.run.refused(f"the optimizer has no {NAMES[self.key]}")
            elif not self.has_it(group):
                found.append((group, self.value(optimizer, group, group[self.key])))
        for group, new in found:
            # An optimizer may change a tensor in place. That nothing is lent holds for the steps within, too.
            number = None if new is None else float(new)
            self.loans[id(group)] = Loan(optimizer, group, group[self.key], number)
            if new is not None:
                group[self.key] = new
                self.run.applied()

    def has_it(self, group: Any) -> bool:
        """Whether the step is part of another: the group is the same, or was given what the other's was lent."""
        if id(group) in self.loans:
            return True
        if not self.loans:
            return False
        mine = {id(p) for p in group["params"]}
        same = (loan for loan in self.loans.values() if any(id(p) in mine for p in loan.group["params"]))
        return any(loan.number == float(group[self.key]) for loan in same)

    def look_and_restore(self, optimizer: Any) -> None:
        for loan in [loan for loan in self.by(optimizer) if loan.number is not None]:
            against = self.look(loan.group) if self.look is not None else ""
            if float(loan.group[self.key]) != loan.number:
                self.run.contradicted(f"the optimizer sets its {NAMES[self.key]} itself, within the step")
            elif against:
                self.run.contradicted(against)
            else:
                self.run.verified()
        self.restore(optimizer)

    def restore(self, optimizer: Any) -> None:
        for loan in self.by(optimizer):
            if loan.number is not None:
                loan.group[self.key] = loan.was
            del self.loans[id(loan.group)]

    def by(self, optimizer: Any) -> list[Loan]:
        return [loan for loan in self.loans.values() if loan.optimizer is optimizer]

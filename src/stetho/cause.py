"""What a cause is: how common it is, what it predicts, how it is told apart and how it is cured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# Category base rates among faults, where nothing else is known.
CATEGORY_RATES: Mapping[str, float] = {
    "data": 0.40, "loss": 0.20, "train": 0.15, "arch": 0.10, "hp": 0.05, "num": 0.05, "env": 0.05,
}  # fmt: skip

# Beside the faults: how often a run that somebody asks about has nothing wrong, or a fault without a name here.
NOTHING_WRONG = 0.35
UNLISTED = 0.06


@dataclass(frozen=True)
class Cause:
    """One thing a person can fix. The module's docstring is its story; this is what it predicts.

    `share` is its part of its category's base rate. `symptoms` gives the probability of the gravest
    symptom ("none" included). `predicts` maps a check to the probability that it fires, and an
    intervention to the probabilities of its outcomes. `mechanism` names the checks whose firing shows
    the cause at work. `trial` names the intervention that stands for the cure.
    """

    id: str
    share: float
    symptoms: Mapping[str, float]
    predicts: Mapping[str, float | Mapping[str, float]]
    mechanism: tuple[str, ...]
    statement: str
    test: str
    fix: str
    trial: str | None = None
    control: str | None = None
    """An intervention that is no cure and yet puts it to the test, for causes that make a run look too good."""
    outdoes: str | None = None
    """A change that its trial must do better than; where that one does as well, it is no less the cure."""
    unhelped_by: str | None = None
    """A change that must have been tried and must not have helped; where it does, it cures another cause."""
    asked: bool = False
    """Whether its trial is worth a run wherever its mechanism shows, though what shows it is mostly harmless."""
    only_with: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """For a check of the mechanism that harmless things fire too: the control, and the answer it must have given; or,
    where both make a run worse, the cause's own control must do many times the harm."""
    subtle: bool = False
    otherwise: Mapping[str, float] | None = None
    """Outcomes of interventions that `predicts` does not name; None takes the intervention's own background."""
    proof_by_artifact: bool = False
    proofs: tuple[str, ...] = ()
    """Checks of the mechanism that are such a proof; all of them where none is named."""
    references: tuple[str, ...] = ()
    context: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """For circumstances of `stetho.context`: how many times as likely it is with them, and without."""
    doc: str = field(default="", compare=False)

    @property
    def category(self) -> str:
        return self.id.split("/", 1)[0]

    @property
    def flatters(self) -> bool:
        """Whether it makes results look better than they are: without it they are worse."""
        return self.symptoms.get("too-good", 0.0) >= 0.2

    @property
    def is_fault(self) -> bool:
        return self.category not in ("none", "other")


def fitting(cause: Cause, circumstances: Mapping[str, bool]) -> float:
    """How many times as likely a cause is in a run of this kind; what is not known of the run changes nothing."""
    factor = 1.0
    for name, (present, absent) in cause.context.items():
        if name in circumstances:
            factor *= present if circumstances[name] else absent
    return factor


def prior(cause: Cause) -> float:
    """The probability of a cause before anything was seen; the faults share what health leaves over."""
    if cause.category == "none":
        return NOTHING_WRONG * cause.share
    if cause.category == "other":
        return UNLISTED * cause.share
    return (1 - NOTHING_WRONG - UNLISTED) * CATEGORY_RATES.get(cause.category, 0.02) * cause.share

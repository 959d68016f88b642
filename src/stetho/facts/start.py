"""The start: states that were loaded and seeds that were set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class Load:
    """A state that was loaded."""

    what: str
    """model, optimizer or scheduler."""
    name: str
    """The class that it was loaded into."""
    keys: int | None
    """Entries in what was loaded."""
    missing: tuple[str, ...]
    """Entries that it did not have, which kept their values."""
    unexpected: tuple[str, ...]
    """Entries that nothing took."""
    strict: bool | None
    """Whether a mismatch would have been an error."""
    where: Place | None
    """The line that loaded it."""
    step: int
    """The step before which it was loaded."""
    passed_over: int | None = None
    """All entries that nothing took, also those that are not named."""


@dataclass(frozen=True)
class Resumed(Fact):
    """The states that were loaded, and which of their entries found no place."""

    fact: ClassVar[str] = "resumed"

    loads: tuple[Load, ...]
    """The loads in their order."""


@dataclass(frozen=True)
class WeightsSource:
    """Weights that were read before an optimizer's first step, beside those that the step uses."""

    what: str
    """`file` for what torch.load gave, `state` for what load_state_dict was given."""
    where: Place | None
    """The line that read it."""
    elements: int
    """Elements of the weights that the step uses and that can be compared."""
    fits: int
    """Elements among them in tensors of a shape that the source has, too."""
    held: int
    """Elements among them in tensors that have the source's values, rounded or scaled perhaps."""
    elsewhere: int = 0
    """Elements of models that are called and not trained, as a teacher is, with the source's values."""
    copied: int | None = None
    """Elements among those held in tensors that are the source's to within rounding and scale; None in old records."""
    idle: int = 0
    """Elements of models that are called and not trained, as a frozen encoder is, and that can be compared."""
    idle_fits: int = 0
    """Elements among these in tensors of a shape that the source has, too."""


@dataclass(frozen=True)
class WeightsRead(Fact):
    """What the program read of weights, and how much of it the first step uses."""

    fact: ClassVar[str] = "weights-read"

    sources: tuple[WeightsSource, ...]
    """What was read, in its order."""


@dataclass(frozen=True)
class SavedState:
    """A state in a file that was read, which fits an optimizer or its schedule, beside what its first step has."""

    what: str
    """optimizer or scheduler."""
    name: str
    """The class that it fits."""
    where: Place | None
    """The line that read the file."""
    saved: int
    """Steps that the state in the file has behind it."""
    begun: int
    """Steps that the optimizer or the schedule has behind it, by its own account, where its first step is seen."""
    same: bool
    """Whether rate and settings are those in the file: it is to go on, and not to start anew."""
    optimizer: int = 0
    """Which optimizer, in the order of their making."""


@dataclass(frozen=True)
class SavedStates(Fact):
    """What the files that were read hold of optimizers and schedules, and whether the first step goes on from it."""

    fact: ClassVar[str] = "saved-states"

    states: tuple[SavedState, ...]
    """Those that fit, in the order in which their optimizers step."""


@dataclass(frozen=True)
class Seed:
    """A call that seeds a random generator."""

    what: str
    """torch, numpy or random."""
    value: int | None
    """The seed, where it is a number."""
    where: Place | None
    """The line that sets it."""
    step: int
    """The step before which it was set."""


@dataclass(frozen=True)
class Seeds(Fact):
    """Where the program seeds its random generators; empty means that it does not."""

    fact: ClassVar[str] = "seeds"

    seeds: tuple[Seed, ...]
    """The calls in their order, at most fifty."""
    calls: int = 0
    """All calls."""
    unseeded: tuple[Seed, ...] = ()
    """What is left to chance: generators made without a seed or seeded by the clock, and those of torch, numpy or
    Python that the training draws from and nothing seeds."""

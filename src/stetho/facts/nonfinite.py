"""NaN and Inf: how many steps met them, and which operation made the first one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class NonfiniteSteps(Fact):
    """Which recorded steps met NaN or Inf, in the loss or in the gradient."""

    fact: ClassVar[str] = "nonfinite-steps"

    steps: int
    """Recorded steps of the busiest optimizer."""
    losses: int
    """Steps with a loss that is NaN or Inf."""
    gradients: int
    """Steps whose gradient norm is NaN or Inf."""
    first_loss: int | None = None
    """The first step with such a loss."""
    first_gradient: int | None = None
    """The first step with such a gradient."""
    parameters: tuple[str, ...] = ()
    """Parameters that held NaN or Inf at a sampled step, at most twenty."""
    first_parameter: int | None = None
    """The first sampled step at which one did."""


@dataclass(frozen=True)
class NonfiniteOrigin(Fact):
    """The first operation that turned finite numbers into NaN or Inf."""

    fact: ClassVar[str] = "nonfinite-origin"

    step: int
    """The step in which it happened."""
    operation: str
    """The operation."""
    phase: str
    """forward, backward, optimizer or data."""
    where: Place | None = None
    """The innermost line of the user's."""
    frames: tuple[Place, ...] = ()
    """The user's frames, innermost first."""
    input_min: float | None = None
    """The smallest value that went in."""
    input_max: float | None = None
    """The largest value that went in."""
    input_zeros: int = 0
    """Zeros among the values that went in."""
    input_size: int = 0
    """How many values went in."""
    divisor_zeros: int = 0
    """Zeros among the divisors."""
    module: str | None = None
    """The path of the module inside the model in which it happened."""
    replayed: bool | None = None
    """Whether it was found by doing the step again on the kept batch."""
    sample: int | None = None
    """The position in the batch of the first sample that it happened to."""
    told: str = ""
    """What a log says of it, where nobody looked at the numbers that went in: a warning, or autograd's own search."""

    @property
    def shown(self) -> str:
        """The operation, where it is, and when: as it was seen, or as the log says it."""
        if self.told:
            return self.told
        return f"{self.operation} at {self.where} at step {self.step} ({self.phase})"

    @property
    def places(self) -> tuple[Place, ...]:
        """The lines to look at, innermost first."""
        return self.frames or ((self.where,) if self.where is not None else ())


@dataclass(frozen=True)
class Unlocalised(Fact):
    """A NaN or Inf whose origin was looked for and not found."""

    fact: ClassVar[str] = "unlocalised"

    step: int
    """The first bad step."""
    why: str
    """What kept the origin from being found."""
    what: str | None = None
    """What was bad: the loss or a gradient."""

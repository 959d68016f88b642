"""How logged curves move: noise, spikes and cycles of the loss, the loss beside the rate, an agent's progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.facts.fact import Fact


@dataclass(frozen=True)
class Spike:
    """A point far above the level around it."""

    step: int
    """Its step."""
    value: float
    """The loss there."""
    level: float
    """The median of the points around it."""
    noise: float
    """How far points around it usually lie from that level."""
    lasted: int
    """Points until the loss is back near the level; one for a single point."""
    epoch: int | None = None
    """The epoch it falls in, counted from 0, where epochs are known."""
    place: int | None = None
    """Its point in that epoch, counted from 0."""


@dataclass(frozen=True)
class Recurrence:
    """Spikes that come back at one place of the epoch, or at even distances."""

    met: int
    """How many times it came."""
    of: int
    """How many times it could have come."""
    distance: float
    """Steps from one to the next, in the median."""
    height: float
    """How many times the level around it the loss reaches, in the median."""
    place: int | None = None
    """The point of the epoch at which it comes, counted from 0; None where epochs are not known."""
    steps: tuple[int, ...] = ()
    """The steps at which it came, at most fifty."""
    lines: tuple[int, ...] = ()
    """The lines or rows of these points, where they are known."""


@dataclass(frozen=True)
class Cycles:
    """The loss sinks to almost nothing, jumps back to where it began or above, and sinks again, over and over."""

    count: int
    """How many times it jumped back."""
    low: float
    """The level before the jumps, in the median."""
    peak: float
    """The level that they reach, in the median."""
    distance: float
    """Steps from one jump to the next, in the median."""
    lasts: float
    """Points that it takes to sink again, in the median."""
    steps: tuple[int, ...] = ()
    """The steps of the jumps, at most fifty."""


@dataclass(frozen=True)
class LossTexture(Fact):
    """What the training loss does from point to point, taken from all points that were logged."""

    fact: ClassVar[str] = "loss-texture"

    name: str
    """What the log calls it."""
    points: int
    """How many finite points there are."""
    noise: float
    """How far points of the last half lie from the level around them, in the median."""
    spikes: tuple[Spike, ...] = ()
    """The highest spikes, at most a hundred, in their order."""
    spike_count: int = 0
    """All spikes."""
    recurrence: Recurrence | None = None
    """Spikes that come back at one place; those at which the rate rises are left out."""
    cycles: Cycles | None = None
    """Jumps back to the beginning; those at which the rate rises are left out."""


@dataclass(frozen=True)
class LossSwings(Fact):
    """The swings of a training loss that stays around the level at which it began."""

    fact: ClassVar[str] = "loss-swings"

    name: str
    """What the log calls it."""
    points: int
    """Finite points in its last half."""
    start: float
    """The level at which it began."""
    level: float
    """The mean of its last half."""
    swing: float
    """The spread of its last half over that level."""
    against: float
    """How much points of the last half that lie `lag` apart are opposed: -1 for high always with low, 0 for chance."""
    lag: int
    """The distance at which they are opposed most."""


@dataclass(frozen=True)
class LossRise(Fact):
    """How a training loss climbs from its best level to the end of the run."""

    fact: ClassVar[str] = "loss-rise"

    name: str
    """What the log calls it."""
    points: int
    """Finite points."""
    start: float
    """The level at which it began."""
    best: float
    """Its lowest level."""
    best_step: int
    """The last step at which it was there."""
    end: float
    """The level at which it ends."""
    stretches: int
    """Levels that were compared, from there to the last; a run has up to forty."""
    order: float
    """How far these are in rising order: 1 for each above the one before it, 0 for no order."""
    largest: float
    """The largest single step between them, as a share of the whole climb, both in logarithms."""
    noises: float
    """The climb in logarithms, in spreads of the levels around their trend."""
    highest: bool
    """Whether it ends near the highest level of the run."""
    rate_grew: float | None = None
    """How many times higher the learning rate is at the end than at the best level, where it is logged."""


@dataclass(frozen=True)
class RateAndLoss(Fact):
    """The loss beside the learning rate, where the rate falls to almost nothing and stays there."""

    fact: ClassVar[str] = "rate-and-loss"

    peak: float
    """The highest rate."""
    last: float
    """The last rate."""
    gone_step: int
    """The step from which on the rate is below a thousandth of its highest."""
    share: float
    """The share of the logged points that come after it."""
    alive: int
    """Points of the loss before that, from the highest rate on."""
    before: float
    """The level of the loss half-way between the highest rate and its end."""
    at: float
    """The level of the loss where the rate ends."""
    end: float
    """The level of the loss at the end of the run."""
    fell: float
    """How far the loss fell between the first two levels, in standard errors."""
    moved: float
    """How far it moved from the second level to the third, in standard errors; positive for a fall."""
    gone_epoch: float | None = None
    """The epoch of that step, where epochs are known."""
    stride: int = 1
    """Steps between points of the rate, in the median."""


@dataclass(frozen=True)
class AgentProgress(Fact):
    """An agent's rewards, beside what its policy and its critic logged."""

    fact: ClassVar[str] = "agent-progress"

    reward: str
    """What the log calls the rewards."""
    points: int
    """How many there are."""
    early: float
    """Their level in the first tenth."""
    late: float
    """Their level in the last tenth."""
    best: float
    """The highest level of any tenth."""
    noise: float
    """How far single values lie from the level around them."""
    size: float
    """The median of their magnitude."""
    length: float | None = None
    """Steps of an episode, in the median, where they are logged."""
    entropy_first: float | None = None
    """The magnitude of the policy's entropy at the beginning."""
    entropy_late: float | None = None
    """Its magnitude in the last half."""
    entropy_gone: float | None = None
    """The share of the run after which it stays below a twentieth of its beginning; None where it does not."""
    entropy_gone_step: int | None = None
    """The step of that."""
    explained: float | None = None
    """The share of the returns' variance that the critic explains, in the median of the last half."""
    value_loss: float | None = None
    """The critic's loss, in the median of the last half."""

"""Ranks: what each process of a distributed run did, whether they hold the same parameters, who waits for whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact

# Seconds by which ranks that meet may come to differ more at the end than at the beginning.
NEAR = 0.02


@dataclass(frozen=True)
class RankRun:
    """One rank's run in a few numbers."""

    rank: int
    """The rank."""
    steps: int
    """Steps that its busiest optimizer took."""
    loss_first: float | None
    """Its first loss."""
    loss_last: float | None
    """Its last loss."""
    nonfinite_step: int | None
    """Its first step whose loss or gradient is NaN or Inf."""
    step_seconds: float | None
    """Its median seconds per step."""
    wait_seconds: float | None
    """Its median seconds per step spent waiting for the DataLoader."""
    memory: int | None
    """The most main memory that it used, in bytes."""
    faults: int = 0
    """Errors inside its observer."""
    loss_lost: int | None = None
    """Its first step whose own loss is NaN or Inf, before gradients of other ranks are added."""


@dataclass(frozen=True)
class Ranks(Fact):
    """What each rank did; all other facts are about the rank that stands for the run."""

    fact: ClassVar[str] = "ranks"

    ranks: tuple[RankRun, ...]
    """The ranks that took steps."""
    world: int | None = None
    """How many processes were to train together."""


@dataclass(frozen=True)
class RankAgreement(Fact):
    """Whether all ranks hold the same parameters and buffers, by their checksums."""

    fact: ClassVar[str] = "rank-agreement"

    ranks: tuple[int, ...]
    """The ranks that were compared."""
    steps: int
    """Steps at which they were compared."""
    parameters_differ: int
    """Steps at which the parameters were not the same on all ranks."""
    buffers_differ: int
    """Steps at which the buffers were not the same on all ranks."""
    first_parameters: int | None = None
    """The first step at which the parameters were not the same."""
    first_buffers: int | None = None
    """The first step at which the buffers were not the same."""
    apart: tuple[int, ...] = ()
    """Ranks whose parameters were not those of the lowest rank at that first step."""


@dataclass(frozen=True)
class RankSamples(Fact):
    """Whether ranks read the same samples in the same step, by fingerprints of what entered their models."""

    fact: ClassVar[str] = "rank-samples"

    ranks: tuple[int, ...]
    """The ranks that were compared."""
    steps: int
    """Steps whose training batches were compared."""
    same: int
    """Those in which all ranks had the same samples in the same order."""
    different: int
    """Different batches that the lowest rank had in these steps."""
    batch: int = 0
    """Samples looked at in each of them, in the median."""
    losses: int = 0
    """Steps whose losses were compared."""
    losses_same: int = 0
    """Those in which all ranks had the same loss, to the last digit."""
    losses_different: int = 0
    """Different losses that the lowest rank had in these steps."""
    shared: float | None = None
    """The least share of a rank's samples, before any of them comes again, that another rank had in the same time; put
    up for what is not on record."""
    shared_of: int = 0
    """The samples that this rests on."""
    one_model: bool = True
    """Whether the parameters of all ranks have the same sizes: others are no copies of one model."""


@dataclass(frozen=True)
class RankArrival:
    """When one rank comes to the exchange of gradients, compared with the others."""

    rank: int
    """The rank."""
    last: int
    """Steps in which it was the last to begin."""
    waited_median: float
    """Median seconds from its own beginning to that of the last rank."""
    waited_total: float
    """These seconds in all."""
    backward_median: float | None = None
    """Median seconds that its backward took, the exchange of gradients included."""


@dataclass(frozen=True)
class RankWaiting(Fact):
    """Who comes to the exchange of gradients last and how long the others wait, by the clocks of their machines."""

    # With a wrapper that exchanges them during backward it is the beginning of that which is compared.
    fact: ClassVar[str] = "rank-waiting"

    steps: int
    """Steps that were compared."""
    spread_median: float
    """Median seconds between the first and the last rank to begin."""
    spread_highest: float
    """The longest such time."""
    spread_step: int
    """The step of the longest."""
    arrivals: tuple[RankArrival, ...]
    """The ranks, lowest first."""
    spread_early: float | None = None
    """The same median over the first quarter of them."""
    spread_late: float | None = None
    """And over the last quarter."""
    after_backward: bool = False
    """Whether the ends of backward are compared, as gradients are brought together only after it."""

    @property
    def spare(self) -> float:
        """Seconds that every rank but the one which comes last has to spare in a usual step."""
        last = max(self.arrivals, key=lambda one: one.last, default=None)
        return min((one.waited_median for one in self.arrivals if one is not last), default=0.0)

    @property
    def meet(self) -> bool:
        """Whether ranks meet again and again; those that go their own way come further and further apart."""
        early, late = self.spread_early, self.spread_late
        return early is None or late is None or late <= 2 * early + NEAR


@dataclass(frozen=True)
class LostRank(Fact):
    """The one rank whose own loss or gradient was the first to be NaN or Inf, and what is known of why."""

    fact: ClassVar[str] = "lost-rank"

    rank: int
    """The rank."""
    step: int
    """The step."""
    what: str
    """What of its own was NaN or Inf, before gradients of other ranks are added: loss or gradient."""
    others: tuple[int, ...]
    """The ranks that were still finite by themselves at that step, and were lost with it or with the next one."""
    loss_raised: float = 1.0
    """The highest loss of any rank just before, as a multiple of what was usual there."""
    gradient_raised: float = 1.0
    """The same of the gradient that the steps before have used."""
    read_finite: bool | None = None
    """Whether all that the rank read for that step was finite; None where that is not known."""
    again: bool | None = None
    """Whether the step, done again, has given NaN or Inf once more; None where it was not done again."""
    where: Place | None = None
    """The line of its backward."""

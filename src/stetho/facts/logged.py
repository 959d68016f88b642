"""What a run logged: the curves of its metrics, its pace and memory, and where it was taken up again."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import ClassVar

from stetho.facts.fact import Fact


@dataclass(frozen=True)
class LoggedCurve:
    """One number over the run, as the run logged it."""

    name: str
    """What the log calls it."""
    kind: str
    """What it is: loss, score, rate, gradient, pace, duration, memory, reward or other."""
    split: str
    """The data it was measured on: training, validation, or empty where the name does not say."""
    file: str
    """The file it was read from."""
    points: int
    """How many points the log has."""
    steps: tuple[int, ...]
    """The steps of those kept: of a long curve evenly spaced ones, its extremes and its last."""
    values: tuple[float, ...]
    """The value at each of them."""
    first_at: int | None = None
    """The line or row of the first point."""
    last_at: int | None = None
    """The line or row of the last one."""


@dataclass(frozen=True)
class Metrics(Fact):
    """Every number that the run logged more than once."""

    fact: ClassVar[str] = "metrics"

    curves: tuple[LoggedCurve, ...]
    """The curves, those with the most points first; at most two hundred."""
    left_out: int = 0
    """Curves beyond that number."""


@dataclass(frozen=True)
class ValidationLoss(Fact):
    """The loss on validation data beside the training loss at the same steps."""

    fact: ClassVar[str] = "validation-loss"

    name: str
    """What the log calls it."""
    steps: tuple[int, ...]
    """The steps at which it was measured."""
    values: tuple[float, ...]
    """The loss on validation data at each of them."""
    training: tuple[float, ...] = ()
    """The level of the training loss around each of them; empty where the log has none."""


@dataclass(frozen=True)
class Scores(Fact):
    """A score that should rise, such as an accuracy."""

    fact: ClassVar[str] = "scores"

    name: str
    """What the log calls it."""
    split: str
    """The data it was measured on: training, validation, or empty where the name does not say."""
    steps: tuple[int, ...]
    """The steps at which it was measured."""
    values: tuple[float, ...]
    """The score at each of them."""


@dataclass(frozen=True)
class PrintedNumber:
    """A loss or a score that a program printed itself, once or often."""

    name: str
    """What the program calls it."""
    kind: str
    """`loss`, which should fall, `score`, which should rise, or `other` where that is not known."""
    split: str
    """The data it was measured on: training, validation, or empty where the name does not say."""
    values: tuple[float, ...]
    """Its last values, at most forty."""
    line: int | None = None
    """The line of the output that has the last one."""


@dataclass(frozen=True)
class Printed(Fact):
    """What an observed program itself printed of how well it does."""

    fact: ClassVar[str] = "printed"

    numbers: tuple[PrintedNumber, ...]
    """Its losses and scores in the order in which they first appear, at most fifty."""

    def results(self) -> tuple[PrintedNumber, ...]:
        """What tells how good the model is: held-out scores, held-out losses, what was printed once, other scores."""
        held = [one for one in self.numbers if one.split == "validation" and one.kind != "other"]
        alone = [one for one in self.numbers if one.split == "" and len(one.values) == 1]
        # Where nothing is marked, a score that is printed again and again is the best there is.
        often = [one for one in self.numbers if one.split == "" and len(one.values) > 1 and one.kind == "score"]
        return tuple(one for part in (held, alone, often) for one in sorted(part, key=lambda one: one.kind != "score"))


@dataclass(frozen=True)
class Pace(Fact):
    """How fast the run went, as it logged it or as the times of its lines show."""

    fact: ClassVar[str] = "pace"

    steps: tuple[int, ...]
    """The steps at which it is known."""
    seconds: tuple[float, ...]
    """Seconds that a step took around each of them."""
    told_by: str = ""
    """The metric it was read from; empty where it follows from the times of the lines."""
    longest_gap: float = 0.0
    """The longest time without a line, in seconds; 0 where lines have no times."""
    gap_after: int | None = None
    """The step before that gap."""
    inverse: bool = False
    """Whether the seconds are one over a throughput, so that only their ratios mean something."""
    data_share: float | None = None
    """The share of the steps' time, taken together, that they waited for data."""
    data_name: str = ""
    """The metric that tells the wait for data."""
    data_longest: float | None = None
    """The longest wait for data, in seconds."""
    data_total: float | None = None
    """All waits for data together, in seconds, where they were measured."""
    step_seconds: float | None = None
    """Seconds of a step beside that wait, the median of them."""
    slowest_rank: int | None = None
    """The rank that computes longest, where ranks tell how long they compute."""
    slowest_times: float | None = None
    """How many times longer it computes than the median of the others."""
    device_use: tuple[float, ...] = ()
    """Per cent of the time that each accelerator computed, the median of what was saved."""
    device_held: float | None = None
    """The largest share of an accelerator's memory that was in use."""
    device_left_out: bool = False
    """Whether the log says that no accelerator is used."""


@dataclass(frozen=True)
class Resumption:
    """A point at which the steps go back: the run was taken up again."""

    left: int
    """The last step before it."""
    entered: int
    """The first step after it."""
    before: float | None = None
    """The level of the training loss before."""
    after: float | None = None
    """Its level right after."""
    noise: float | None = None
    """How far single values lie from the level before."""


@dataclass(frozen=True)
class Resumptions(Fact):
    """Where the run was taken up again."""

    fact: ClassVar[str] = "resumptions"

    points: tuple[Resumption, ...]
    """The points in their order, at most fifty."""

    def jump(self, start: float, share: float = 0.2) -> Resumption | None:
        """The first one at which the loss jumps beyond its noise, by a share of what had been learned."""
        for one in self.points:
            if one.before is not None and one.after is not None and one.noise is not None:
                lost = one.after - one.before
                if start > one.before and lost > share * (start - one.before) and lost > 8 * one.noise:
                    return one
        return None


@dataclass(frozen=True)
class RankTime:
    """How long one part of a step takes on one rank."""

    rank: int
    """The rank."""
    name: str
    """What the log calls it."""
    part: str
    """What it is: `step`, `data`, `peer` for a wait for other ranks, or `compute`."""
    seconds: float
    """The median of it."""
    points: int
    """How many values the log has."""


@dataclass(frozen=True)
class RankTimes(Fact):
    """How long the parts of a step take on each rank, where ranks log it."""

    fact: ClassVar[str] = "rank-times"

    times: tuple[RankTime, ...]
    """The times, by name and rank."""

    def slowest(self) -> tuple[RankTime, float, float] | None:
        """The rank that takes longest for a part of its own, how many times longer than the next one, and the median of
        the others; None where the difference is a small part of a step."""
        whole = [one.seconds for one in self.times if one.part == "step"]
        ranks = {one.rank for one in self.times}
        whole = whole or [sum(one.seconds for one in self.times if one.rank == rank) for rank in ranks]
        found = []
        for name in dict.fromkeys(one.name for one in self.times if one.part in ("compute", "data")):
            alike = [one for one in self.times if one.name == name]
            worst = max(alike, key=lambda one: one.seconds)
            others = [one.seconds for one in alike if one is not worst]
            if others and max(others) > 0 and worst.seconds - median(others) >= 0.2 * median(whole):
                found.append((worst, worst.seconds / max(others), median(others)))
        return max(found, key=lambda one: one[0].seconds, default=None)

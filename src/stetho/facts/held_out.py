"""Evaluation as it was observed: what it came to, and how the samples it is made on differ from those of training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact

# Data of which so many samples, of those that can be known, were trained on is training data.
TRAINED = 0.9


@dataclass(frozen=True)
class Evaluation:
    """One line at which a loss is computed without being trained on, evaluation by evaluation."""

    function: str
    """The loss function."""
    where: Place | None
    """The line that calls it."""
    steps: tuple[int, ...]
    """The step before which each evaluation was made."""
    losses: tuple[float, ...]
    """The mean loss over the samples of each."""
    right: tuple[float | None, ...]
    """The share of right answers in each, where the loss is one of classes."""
    samples: int
    """Samples in the last one."""
    trained: float | None = None
    """The share of its samples that were trained on, among those that could be told; None where none could."""
    known: float = 0.5
    """The share of the training data that is on record: so much of it at least would be told, were it evaluated."""
    callers: tuple[Place, ...] = ()
    """The lines that have led there, innermost first: one function may evaluate several sets of data."""

    @property
    def held_out(self) -> bool:
        """Whether it is not an evaluation of training data; held-out data may share samples with it."""
        return self.trained is None or self.trained < TRAINED * max(self.known, 0.5)


@dataclass(frozen=True)
class Evaluations(Fact):
    """What evaluations came to, by the losses that were computed in them."""

    fact: ClassVar[str] = "evaluations"

    lines: tuple[Evaluation, ...]
    """The lines in the order in which they were first reached."""

    def held_out(self) -> Evaluation | None:
        """The evaluation of held-out data that was made most often."""
        return max((one for one in self.lines if one.held_out), key=lambda one: len(one.steps), default=None)

    def like(self, other: Evaluation) -> Evaluation | None:
        """What the same line came to, reached by the same calls where it is reached by several."""
        same = [one for one in self.lines if (one.where, one.function) == (other.where, other.function)]
        return next((one for one in same if one.callers == other.callers), same[0] if len(same) == 1 else None)


@dataclass(frozen=True)
class FeatureShift:
    """One feature, or one channel, in training and in evaluation."""

    feature: int
    """Its number, from 0."""
    trained: float
    """Its centre in training: the median, or the mean of a feature with few values."""
    trained_spread: float
    """Its spread there."""
    evaluated: float
    """Its centre in evaluation."""
    evaluated_spread: float
    """Its spread there."""
    size: float
    """How far the two are apart: centres in units of the spread in training, or the spreads' ratio in powers of two."""


@dataclass(frozen=True)
class InputShift(Fact):
    """The inputs of evaluation, training data left out, beside those of training."""

    fact: ClassVar[str] = "input-shift"

    trained: int
    """Samples of training that were compared."""
    evaluated: int
    """Samples of evaluation that were compared."""
    features: int
    """Features that were compared, or channels of an image; 1 for tokens."""
    largest: tuple[FeatureShift, ...]
    """Those that are furthest apart, at most five."""
    middle: float
    """The median over all features of how far they are apart."""
    usual_largest: float
    """How far the furthest feature of a part of the training data, as many samples, is from the rest."""
    usual_middle: float
    """The median over features for such a part."""
    tokens: bool = False
    """Whether the inputs are whole numbers: then all sizes are shares of them that would have to be others."""
    whole: bool = True
    """Whether all batches of an evaluation were looked at, or only its first ones."""
    shape: tuple[int, ...] = ()
    """The shape of the first batch of evaluation."""
    swapped: bool = False
    """Whether the channels in evaluation are those of training in reverse order, as far as centre and spread tell."""


@dataclass(frozen=True)
class SeriesWindows(Fact):
    """Samples that are windows of longer series: stretches of the same values in other places of other samples."""

    fact: ClassVar[str] = "series-windows"

    length: int
    """Numbers of a sample that were compared."""
    trained: int
    """Training samples that were compared."""
    among_trained: int
    """Those of them that share a long stretch with another one, in another place."""
    held_out: int
    """Held-out samples that were compared; 0 where none were."""
    among_held_out: int
    """Those of them that share a long stretch with a training sample, in another place."""
    shared: float = 0.0
    """The part of such a held-out sample that is in training, in the median."""
    target_at: int | None = None
    """The place in the sample, as it was kept, whose number is the target in other units; None where there is none."""
    places: int = 0
    """Places of a sample, as it was kept beside its target."""


@dataclass(frozen=True)
class Siblings(Fact):
    """Samples that come in small groups of near copies, with wide gaps between the groups, across the split."""

    fact: ClassVar[str] = "siblings"

    trained: int
    """Training samples that were compared, each different."""
    held_out: int
    """Held-out samples that were compared."""
    groups: int
    """Groups of near copies on both sides together, single samples counted."""
    largest: int
    """Samples of the largest group."""
    near: float
    """The distance up to which nearly all steps from copy to copy within groups are."""
    gap: float
    """The distance from which on nearly all ways from group to group are."""
    with_training: int
    """Held-out samples in whose group there is a training sample."""
    of_training: float
    """Training samples to a group that has any, on average over those with a held-out sample."""

    @property
    def between(self) -> float:
        """The distance that tells copies from strangers."""
        return float((self.near * self.gap) ** 0.5)

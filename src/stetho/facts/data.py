"""The data as it enters the model: scale, samples to look at, labels, and whether input and label belong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import ClassCount, Fact


@dataclass(frozen=True)
class Feature:
    """One feature of the input, or one channel of an image."""

    mean: float
    """Its mean over the batches looked at."""
    std: float
    """Its standard deviation over them."""


@dataclass(frozen=True)
class InputScale(Fact):
    """The numbers that enter the model, on sampled batches."""

    fact: ClassVar[str] = "input-scale"

    mean: float
    """Their mean."""
    std: float
    """Their standard deviation within a batch."""
    low: float
    """The smallest."""
    high: float
    """The largest."""
    feature_spread: float | None = None
    """Largest over smallest standard deviation among the features that vary."""
    nonfinite: int = 0
    """Values that are NaN or Inf."""
    where: Place | None = None
    """The line that calls the model."""
    samples: int = 0
    """Samples in the batches looked at."""
    discrete: bool = False
    """Indices or tokens, which have no scale."""
    constant: int | None = None
    """Features that have the same value in every sample looked at."""
    features: tuple[Feature, ...] = ()
    """The features of a flat input, or the channels of an image, when there are at most 64."""
    shape: tuple[int, ...] | None = None
    """The shape of the first batch."""
    dtype: str | None = None
    """The data type of the first batch."""
    usual_mean: float | None = None
    """The median of the batches' means, which a few extreme samples do not move."""
    usual_std: float | None = None
    """The median of the batches' standard deviations."""
    usual_spread: float | None = None
    """The median of the batches' `feature_spread`."""
    at_low: float | None = None
    """Share of values that are exactly the smallest of their batch, in the median."""
    at_high: float | None = None
    """Share of values that are exactly the largest of their batch, in the median."""


@dataclass(frozen=True)
class Association(Fact):
    """Whether similar inputs carry similar labels: nearest neighbours against pairs drawn at random."""

    fact: ClassVar[str] = "input-label-association"

    samples: int
    """Different inputs that were compared."""
    agreement: float
    """Share of nearest neighbours with the same label (1 - normalised squared difference for numbers)."""
    expected: float
    """The same for random pairs."""
    error: float
    """Standard error of the agreement."""
    repeated: float = 0.0
    """Share of samples that have an identical input elsewhere in the sample."""


@dataclass(frozen=True)
class RawSample:
    """One sample as it entered the model."""

    step: int
    """The step that it was taken from."""
    shape: tuple[int, ...]
    """Its shape, without the batch axis."""
    dtype: str | None
    """Its data type in the program."""
    mean: float
    """The mean of its values."""
    std: float
    """Their standard deviation."""
    low: float
    """The smallest of them."""
    high: float
    """The largest of them."""
    values: tuple[float, ...]
    """Its first values, at most 32; the recording holds all."""
    label: tuple[float, ...] | None = None
    """The first values of its target, at most 8."""


@dataclass(frozen=True)
class RawSamples(Fact):
    """A few whole samples as they entered the model, to be looked at."""

    fact: ClassVar[str] = "raw-samples"

    samples: tuple[RawSample, ...]
    """The samples in the order in which they came, at most 16."""


@dataclass(frozen=True)
class Labels(Fact):
    """The targets that the run trained on: how often each class comes, and in which order."""

    fact: ClassVar[str] = "labels"

    classes: int | None = None
    """Different classes among the targets looked at; None for targets that are no classes."""
    counted: int = 0
    """Class targets looked at."""
    counts: tuple[ClassCount, ...] = ()
    """The most frequent classes, at most fifty."""
    rarest: ClassCount | None = None
    """The class that comes least often among those that come."""
    evaluated: tuple[ClassCount, ...] = ()
    """The most frequent classes in evaluation, at most fifty."""
    neighbours: int = 0
    """Pairs of neighbouring samples of one training batch whose labels were compared."""
    same: float | None = None
    """Share of these pairs with the same label."""
    expected: float | None = None
    """The same share, had the labels looked at come in random order."""
    longest_run: int | None = None
    """The most neighbouring samples of one training batch with the same label."""
    batches: int = 0
    """Training batches whose labels were looked at in order."""
    classes_per_batch: float | None = None
    """Different classes in a training batch, on average."""
    expected_per_batch: float | None = None
    """The same, had the labels been dealt at random."""
    mean: float | None = None
    """The mean of the targets, where they are numbers."""
    std: float | None = None
    """Their standard deviation."""
    low: float | None = None
    """The smallest of them."""
    high: float | None = None
    """The largest of them."""


@dataclass(frozen=True)
class InputUnits(Fact):
    """By which shift and scale the program's own numbers become what enters the model, from one look to the next."""

    fact: ClassVar[str] = "input-units"

    steps: tuple[int, ...]
    """The steps at which the numbers behind an input were found."""
    moved: tuple[float, ...]
    """How far the input that one sample gives has moved since the look before, in spreads of a feature; 0 first."""
    follows: float | None = None
    """How much of the differences between batches the shift takes away: 1 where each is centred by its own mean."""
    features: int = 0
    """Features that were compared."""


@dataclass(frozen=True)
class SaturatedFeatures(Fact):
    """The features of the model's input that are at one value, or at both their limits, in nearly all samples kept."""

    fact: ClassVar[str] = "saturated-features"

    features: tuple[int, ...]
    """Their places, counted from 0."""
    of: int
    """Features that an input has."""
    samples: int
    """Samples that were looked at."""
    told: float
    """What the input tells of the label, by a simple model, 1 for all there is; 0 where no such feature was found."""
    classes: bool
    """Whether the label is a class."""
    each: tuple[float, ...] = ()
    """How closely each of the others goes with the label by itself, in falling order."""


@dataclass(frozen=True)
class TellingFeature(Fact):
    """The feature that tells most of the label by itself, beside all others: the share of error that it takes away."""

    fact: ClassVar[str] = "telling-feature"

    feature: int
    """Its number among the features of a flat sample, from 0."""
    features: int
    """All features."""
    alone: float
    """What it tells by itself, 1 for all there is."""
    second: float
    """What the next best one tells by itself."""
    others: float
    """What all others tell together, by a linear answer or by neighbours."""
    samples: int
    """Samples that this was measured on."""
    classes: bool
    """Whether the labels are classes."""


@dataclass(frozen=True)
class Reach(Fact):
    """How far training has come, beside what simple models reach on the same samples."""

    fact: ClassVar[str] = "reach"

    measure: str
    """What is compared: accuracy, or explained variance."""
    reached: float
    """The network's, late in training."""
    answers: int
    """The answers it rests on."""
    simple: float
    """That of the best simple model, on samples it was not fitted on."""
    model: str
    """Which one that is, in words."""
    linear: float
    """That of a linear model."""
    samples: int
    """The samples it was fitted and measured on."""
    frozen: float = 0.0
    """The share of the network's elements that ask for no gradient."""
    by_lot: float = 0.0
    """What answering without a look at the input reaches: the share of the largest class, or no variance at all."""

"""Loss functions as they are called: what goes in, and which classes come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class LossInput(Fact):
    """What one loss call site received, over the calls that were looked at."""

    fact: ClassVar[str] = "loss-input"

    function: str
    """The loss function."""
    where: Place | None
    """The line that calls it."""
    looked_at: int
    """How many calls were looked at."""
    normalised: int
    """Calls whose input was already a probability distribution: values in 0..1, and rows that sum to one."""
    classes: int | None = None
    """The size of the class axis."""
    trained: bool = True
    """Whether backward went through this call; an evaluation-only call is not part of the objective."""
    reduction: str | None = None
    """How the loss of the batch was made one number: mean, sum or none."""
    batch: int | None = None
    """The size of the first axis of the input."""
    produced_by: str | None = None
    """The operation that made the input, such as softmax or sigmoid, when a traced step showed it."""
    produced_at: tuple[Place, ...] = ()
    """The user's frames in which it was made, innermost first."""
    accuracy_first: float | None = None
    """Share of right answers over the first five calls."""
    accuracy_last: float | None = None
    """Share of right answers over the last five calls."""
    shape: tuple[int, ...] | None = None
    """The input's shape in the first call."""
    dtype: str | None = None
    """The input's data type."""
    target_shape: tuple[int, ...] | None = None
    """The target's shape in the first call."""
    target_dtype: str | None = None
    """The target's data type."""
    broadcast: int | None = None
    """Calls in which input and target had different shapes and were stretched to fit each other."""
    low: float | None = None
    """The smallest input value seen."""
    high: float | None = None
    """The largest input value seen."""
    target_low: float | None = None
    """The smallest target value seen."""
    target_high: float | None = None
    """The largest target value seen."""
    target_mean: float | None = None
    """The mean of targets that are numbers, in the median call."""
    target_spread: float | None = None
    """Their spread in the median call."""
    ignored: float | None = None
    """Share of the targets that the loss leaves out (`ignore_index`)."""
    not_logs: int | None = None
    """Calls of a loss that expects log-probabilities whose input was none: what it stands for does not sum to one."""
    off_one: float | None = None
    """How far the rows of what they stand for are from summing to one, in the median."""
    over_batch: int | None = None
    """Those among them that sum to one over the samples of the batch instead."""
    not_shares: int | None = None
    """Calls whose targets are numbers where shares of classes are expected: they do not sum to one."""
    left_out: int | None = None
    """The class among those the model answers that the loss leaves out."""
    accuracy_whole: float | None = None
    """Share of right answers over the last five calls with that class counted, too."""
    shifts: tuple[float | None, ...] = ()
    """Of targets for tokens: the share that equals the token given at the same position, one later, two later, ..."""
    own_shifts: tuple[float | None, ...] = ()
    """The same for the first tensor of tokens alone; others may be the labels themselves."""
    sequences: int = 0
    """How many tensors of tokens the model was given."""
    tail: float | None = None
    """The token that many sequences of targets end with, again and again."""
    tail_counted: float | None = None
    """Its share, at these ends, of the targets that the loss counts."""
    tail_lengths: int | None = None
    """How many different lengths these ends have."""
    tail_inside: float | None = None
    """Its share of the targets before these ends."""
    filled: float | None = None
    """The share of the targets that stand where the input is filled up with a token that occurs nowhere else."""
    filled_with: int | None = None
    """The target that they all are; it may occur elsewhere."""
    filled_lengths: int | None = None
    """How many different lengths these ends of the input have."""
    parted_last: float | None = None
    """Of targets that are yes or no: the share over the last five calls on its side of the score that parts each label
    best, whatever the scale of the scores."""


@dataclass(frozen=True)
class LossInputs(Fact):
    """Every loss call site of the run."""

    fact: ClassVar[str] = "loss-inputs"

    sites: tuple[LossInput, ...]
    """The sites in the order in which they were first called."""


@dataclass(frozen=True)
class Meeting:
    """One line at which something with a gradient meets data in a plain operation, outside models and library calls."""

    operation: str
    """What brings them together: sub, mul or gather (an index names the class)."""
    where: Place | None
    """The line."""
    looked_at: int
    """In how many steps it was seen."""
    shape: tuple[int, ...]
    """The shape of what carries the gradient, when first seen."""
    data_shape: tuple[int, ...]
    """The shape of the data."""
    result_shape: tuple[int, ...] = ()
    """The shape of what they become."""
    data_dtype: str | None = None
    """The data type of the data."""
    data_low: float | None = None
    """The smallest value of the data."""
    data_high: float | None = None
    """The largest value of the data."""
    whole: bool = False
    """Whether the data was whole numbers every time."""
    left: bool = True
    """Whether what carries the gradient stands on the left."""
    made_by: str | None = None
    """The operation that made what carries the gradient."""
    classes: int | None = None
    """The size of the class axis, where an index names the class."""
    normalised: int = 0
    """Steps in which what was indexed was probabilities, or log-probabilities."""
    accuracy_first: float | None = None
    """Share of right answers over the first five steps, where an index names the class."""
    accuracy_last: float | None = None
    """The same over the last five."""
    softmax_axis: int | None = None
    """Along which axis the softmax behind it goes, where that is not the one along which the data names a class."""
    class_axis: int | None = None
    """The axis of the classes, in the input of that softmax."""
    softmax_off: int = 0
    """In how many steps that was seen."""
    softmax_at: tuple[Place, ...] = ()
    """The lines that called the softmax, innermost first."""


@dataclass(frozen=True)
class PlainLoss(Fact):
    """What a loss written with plain operations does to outputs and targets, in the steps looked at closely."""

    fact: ClassVar[str] = "plain-loss"

    meetings: tuple[Meeting, ...]
    """The lines in the order in which they were first reached."""


@dataclass(frozen=True)
class OutputRange:
    """What was predicted where numbers meet their targets, and between which limits both lie."""

    function: str
    """The loss function, or the operation of a loss that is written by hand."""
    where: Place | None
    """The line that calls it."""
    looked_at: int
    """How many calls were looked at."""
    produced_by: str
    """The operation that made the prediction, such as linear or sigmoid."""
    produced_at: tuple[Place, ...]
    """The user's frames in which it was made, innermost first."""
    low: float
    """The smallest prediction seen."""
    high: float
    """The largest prediction seen."""
    target_low: float
    """The smallest target seen."""
    target_high: float
    """The largest target seen."""
    explained: float | None = None
    """Share of the targets' variance that the predictions account for, in the last calls."""
    target_mean: float | None = None
    """The mean of the targets in the median call."""
    target_spread: float | None = None
    """Their standard deviation in the median call, which a few extreme ones do not move."""


@dataclass(frozen=True)
class OutputRanges(Fact):
    """The limits of predicted numbers beside those of their targets."""

    fact: ClassVar[str] = "output-ranges"

    sites: tuple[OutputRange, ...]
    """One entry for each line where the two meet in training."""


@dataclass(frozen=True)
class ClassShare:
    """How often one class is predicted and how often it is right."""

    label: int
    """The class."""
    predicted: float
    """Its share of the predictions."""
    given: float | None = None
    """Its share of the labels in the same calls."""


@dataclass(frozen=True)
class PredictedClasses:
    """The classes that the model answers at one loss call site."""

    function: str
    """The loss function."""
    where: Place | None
    """The line that calls it."""
    trained: bool
    """Whether backward went through these calls."""
    calls: int
    """How many calls were looked at."""
    distinct_first: int
    """Classes predicted in the first five calls."""
    distinct_last: int
    """Classes predicted in the last five calls."""
    most_first: float
    """Share of the most frequent prediction in the first five calls."""
    most_last: float
    """Share of the most frequent prediction in the last five calls."""
    shares: tuple[ClassShare, ...]
    """The classes predicted most in the last five calls, at most twenty."""


@dataclass(frozen=True)
class Predictions(Fact):
    """Which classes the model answers, beside the classes that were right."""

    fact: ClassVar[str] = "predictions"

    sites: tuple[PredictedClasses, ...]
    """One entry for each loss call site that predicts classes, trained ones first."""


@dataclass(frozen=True)
class ClassRecall:
    """One class: how often it is right, how often it is answered, and how often both at once."""

    label: int
    """The class."""
    given: int
    """Samples of it."""
    answered: int
    """Samples that it was the answer to."""
    hits: int
    """Samples of it that it was the answer to."""


@dataclass(frozen=True)
class ClassRecalls(Fact):
    """How well each class is found, in the later half of the calls of the trained loss that were looked at."""

    fact: ClassVar[str] = "class-recalls"

    function: str
    """The loss function."""
    where: Place | None
    """The line that calls it."""
    calls: int
    """The calls that it rests on."""
    classes: tuple[ClassRecall, ...]
    """The classes that came, the most frequent first, at most fifty."""

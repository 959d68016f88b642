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
    ignored: float | None = None
    """Share of the targets that the loss leaves out (`ignore_index`)."""


@dataclass(frozen=True)
class LossInputs(Fact):
    """Every loss call site of the run."""

    fact: ClassVar[str] = "loss-inputs"

    sites: tuple[LossInput, ...]
    """The sites in the order in which they were first called."""


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

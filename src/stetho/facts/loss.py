"""The loss: its curve, its first values beside chance, and the terms it is added up from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class LossCurve(Fact):
    """The value handed to backward, step by step, for the busiest backward call of the run."""

    fact: ClassVar[str] = "loss-curve"

    values: tuple[float, ...]
    """The loss at each of `steps`; the mean where a step has several micro-batches."""
    steps: tuple[int, ...] = ()
    """The optimizer steps that have a loss."""
    where: Place | None = None
    """The line that calls backward."""
    chance: float | None = None
    """The loss of a model that knows only the label frequencies (ln K for K balanced classes, var(y) for MSE)."""
    chance_is: str = ""
    """How the chance level was computed."""
    objectives: int = 1
    """How many backward calls with different lines train different optimizers (two for a GAN)."""
    nonfinite_step: int | None = None
    """The first step whose loss or gradient is NaN or Inf."""
    nonfinite_in: str | None = None
    """Which of the two it was: loss or gradient; `validation loss` or `weights` where only these show it."""
    explained: float | None = None
    """Share of the targets' variance that the predictions account for, late in the run, when numbers are predicted."""
    explained_from: int | None = None
    """The samples that `explained` rests on, in at most five calls."""
    factor: float | None = None
    """The value over the one that a library loss computed, where they go together all the time; -1 is a turned sign."""
    made_at: Place | None = None
    """The line that made the value, where that is not the one that calls backward."""
    summed: int | None = None
    """How many numbers a plain sum has made the value of, where a sum is the last thing done; 0 where it is not."""
    logged: bool = False
    """Whether it was read from a log: points are what the program chose to write, such as means over some steps."""
    doubts: tuple[float, ...] = ()
    """The standard error of each value, where every one is the mean over many backwards."""
    label_noise: float | None = None
    """By how much the value at chance scatters from batch to batch, by which labels each happens to hold."""
    rarest_label: float | None = None
    """What one label of the rarest class adds to the value of its batch at chance."""


@dataclass(frozen=True)
class FirstLoss(Fact):
    """The first losses of the run beside what answering by chance would cost."""

    fact: ClassVar[str] = "first-loss"

    values: tuple[float, ...]
    """The losses of the first five steps that have one."""
    where: Place | None = None
    """The line that calls backward."""
    chance: float | None = None
    """The loss of a model that knows only the label frequencies."""
    chance_is: str = ""
    """How the chance level was computed."""
    uniform: float | None = None
    """The loss of giving every class the same probability: ln K, or ln 2 for a binary loss."""
    classes: int | None = None
    """The number of classes, K."""


@dataclass(frozen=True)
class LossTerm:
    """One value that takes part in the loss."""

    name: str
    """The operation or the loss function that made it."""
    where: Place | None
    """The line that made it."""
    steps: int
    """In how many of the steps looked at it took part."""
    first: float
    """Its median over the first five of them."""
    last: float
    """Its median over the last five of them."""
    share: float | None = None
    """The median of its magnitude over the summed magnitudes of all values of the step."""
    nonfinite: int = 0
    """Steps in which it was NaN or Inf."""
    total: str = ""
    """How it was made one number by plain operations: sum or mean; empty where that is not known."""
    over: tuple[int, ...] = ()
    """The shape of what was added up."""


@dataclass(frozen=True)
class LossTerms(Fact):
    """The values that the loss is made of, when there is more than one."""

    fact: ClassVar[str] = "loss-terms"

    parts: tuple[LossTerm, ...] = ()
    """What is added up, or subtracted, as the graph of sampled steps shows it; the largest share first."""
    calls: tuple[LossTerm, ...] = ()
    """The library's loss calls that took part, over all steps, the largest share first."""
    looked_at: int = 0
    """Steps whose graph was followed to find the summands."""


@dataclass(frozen=True)
class LineLoss:
    """What one line calls backward on, over the run."""

    where: Place | None
    """The line that calls backward."""
    steps: tuple[int, ...]
    """A sample of the optimizer steps that have it."""
    values: tuple[float, ...]
    """The loss at each of them."""


@dataclass(frozen=True)
class StepLosses(Fact):
    """The losses of steps for which backward is called at several lines, each line for itself."""

    fact: ClassVar[str] = "step-losses"

    lines: tuple[LineLoss, ...]
    """The lines, in the order in which they were first met."""

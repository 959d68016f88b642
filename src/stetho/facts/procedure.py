"""The procedure: what the program calls in which order, at which rate, and in which mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class GroupRate:
    """The learning rate of one parameter group over the run."""

    elements: int | None
    """Elements in the group."""
    first: float | None
    """The rate at its first recorded step."""
    last: float | None
    """The rate at its last one."""
    highest: float | None
    """The largest rate."""


@dataclass(frozen=True)
class LearningRate(Fact):
    """The learning rate in force at each sampled step, and where the optimizer was made."""

    fact: ClassVar[str] = "learning-rate"

    optimizer: str
    """The optimizer's class."""
    steps: tuple[int, ...]
    """A sample of the steps."""
    values: tuple[float, ...]
    """The rate of the first group at each of them."""
    initial: float
    """The rate at the first recorded step."""
    where: Place | None = None
    """The line that made the optimizer."""
    frames: tuple[Place, ...] = ()
    """The user's frames in which the optimizer was made, innermost first."""
    clipped: float | None = None
    """Share of the steps in which gradient clipping changed the gradient; None when nothing clips."""
    groups: tuple[GroupRate, ...] = ()
    """All groups, when there is more than one."""


@dataclass(frozen=True)
class Pattern:
    """One order of calls, and how often it occurs."""

    order: str
    """The calls from the end of one step to the end of the next, in words."""
    letters: str
    """The same as the observer writes it, one letter to a call."""
    steps: int
    """Recorded steps with this order."""
    first: int
    """The first of them."""


@dataclass(frozen=True)
class SchedulerUse:
    """One learning-rate scheduler."""

    name: str
    """Its class."""
    where: Place | None
    """The line that made it."""
    horizon: int | None
    """The calls that it was made for, where it has an end."""
    unit: str | None
    """How often schedulers of its optimizer are called: step, epoch, never, or other."""
    calls: int | None
    """Steps of its optimizer that a scheduler was called before, up to the first one that is not on record."""
    interval: float | None
    """Median optimizer steps from one of these calls to the next."""
    top: float | None = None
    """The highest rate that it or the optimizer's group names: its peak, or the rate that it starts from."""
    stepped_at: Place | None = None
    """The line that first called it."""


@dataclass(frozen=True)
class CallOrder(Fact):
    """The order of clearing, forward, backward, clipping, step and scheduler, for the busiest optimizer."""

    fact: ClassVar[str] = "call-order"

    optimizer: str
    """The optimizer's class."""
    steps: int
    """Steps whose order is on record."""
    patterns: tuple[Pattern, ...]
    """The orders that occur, the most frequent first, at most ten."""
    distinct: int
    """How many different orders occur."""
    backwards: float | None = None
    """Median backward calls in a step."""
    step_at: Place | None = None
    """The line that calls step."""
    schedulers: tuple[SchedulerUse, ...] = ()
    """The schedulers of the run."""
    clips: tuple[Place, ...] = ()
    """Lines that clip gradients, each with the lines that led to it."""
    backward_at: Place | None = None
    """The line that calls backward."""
    clearings: tuple[Place, ...] = ()
    """Lines that clear gradients which a backward of the first steps has made and no step has used yet, each with
    the lines that led to it."""


@dataclass(frozen=True)
class ModeUse:
    """A combination of modes in which a whole model was called, as it was first met."""

    training: bool
    """Whether the model was in training mode."""
    grad: bool
    """Whether gradients were being recorded."""
    step: int
    """The step at which it was first met."""
    where: Place | None
    """The line that called the model."""
    autocast: str | None = None
    """The data type of automatic mixed precision; None when it was off."""
    output_grad: bool | None = None
    """Whether the output carries a graph back to the parameters."""
    device: str | None = None
    """The device of the output."""
    norms_in_eval: int | None = None
    """Normalisation layers inside it that were in evaluation mode."""
    norms_in_training: int | None = None
    """Normalisation layers inside it that were in training mode."""
    dropouts_in_eval: int | None = None
    """Dropout layers inside it that were in evaluation mode."""
    dropouts_in_training: int | None = None
    """Dropout layers inside it that were in training mode."""


@dataclass(frozen=True)
class ModeCalls:
    """How often whole models were called in one mode."""

    training: bool
    """Whether the model was in training mode."""
    grad: bool
    """Whether gradients were being recorded."""
    calls: int
    """The calls."""


@dataclass(frozen=True)
class Modes(Fact):
    """In which modes whole models were called: training or evaluation, with gradients or without."""

    fact: ClassVar[str] = "modes"

    uses: tuple[ModeUse, ...]
    """The combinations that were met, in that order."""
    calls: tuple[ModeCalls, ...] = ()
    """How often each mode was met, where it was counted."""
    switches: tuple[Place, ...] = ()
    """Lines that switch a model to evaluation mode, the first that were met."""


@dataclass(frozen=True)
class DroppedInEvaluation(Fact):
    """What models in evaluation mode still drop at random, as one of their first evaluations showed."""

    fact: ClassVar[str] = "dropped-in-evaluation"

    shares: tuple[float, ...] = ()
    """The share that each such line leaves out."""
    places: tuple[Place, ...] = ()
    """The lines."""
    looked_at: int = 0
    """Models that were looked at."""


@dataclass(frozen=True)
class Detached(Fact):
    """Whether model outputs and losses carry a graph back to the parameters."""

    fact: ClassVar[str] = "detached"

    backwards: int
    """Backward calls whose graph was followed."""
    without_parameters: int
    """Those whose graph reaches no parameter."""
    outputs: tuple[Place, ...] = ()
    """Lines that call a model in training mode, with gradients on, and get an output without a graph."""


@dataclass(frozen=True)
class GraphGrowth(Fact):
    """The size of the graph that backward goes through, over the steps looked at."""

    fact: ClassVar[str] = "graph-growth"

    steps: tuple[int, ...]
    """The steps whose graph was counted."""
    nodes: tuple[int, ...]
    """Its nodes at each of them."""
    retained: int = 0
    """Backward calls among them that kept the graph."""

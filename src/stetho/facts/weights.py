"""Weights and activations: how far steps really move the parameters, what they and the layers' outputs look like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class UpdateRatios(Fact):
    """Parameter change over parameter norm per step, really measured, for the sampled steps."""

    fact: ClassVar[str] = "update-ratios"

    steps: tuple[int, ...]
    """The sampled steps."""
    ratios: tuple[float, ...]
    """The change of all parameters together at each of them."""
    rates: tuple[float, ...] = ()
    """The learning rate at those steps."""


@dataclass(frozen=True)
class RoundedUpdates(Fact):
    """Weights in half precision whose updates are too small to change them: rounding gives the old value back."""

    fact: ClassVar[str] = "rounded-updates"

    elements: int
    """Elements of the parameters in half precision that were looked at."""
    steps: tuple[int, ...]
    """The sampled steps."""
    shares: tuple[float, ...]
    """At each of them, the share of elements with a gradient that the step left exactly as they were."""
    dtype: str | None = None
    """The data type of most of them."""


@dataclass(frozen=True)
class LayerUpdate:
    """How far the steps moved one parameter, relative to its norm."""

    name: str
    """The parameter's name."""
    optimizer: int
    """The number of the optimizer that holds it, in the order in which they were made."""
    size: int | None
    """Its elements."""
    first: float | None
    """The relative change at the first sampled step."""
    last: float | None
    """The relative change at the last one."""
    median: float | None
    """The median relative change."""
    highest: float | None
    """The largest finite relative change."""
    samples: int
    """Sampled steps in which the change is known."""
    unchanged: int = 0
    """Sampled steps that did not change it at all."""
    nonfinite: int = 0
    """Sampled steps after which it held NaN or Inf."""


@dataclass(frozen=True)
class LayerUpdates(Fact):
    """The real change of each parameter by the sampled steps, relative to its norm."""

    fact: ClassVar[str] = "layer-updates"

    steps: tuple[int, ...]
    """The sampled steps."""
    layers: tuple[LayerUpdate, ...]
    """The parameters in the order in which the optimizers hold them."""


@dataclass(frozen=True)
class LayerWeights:
    """The values of one parameter at the first and at the last sampled step."""

    name: str
    """The parameter's name."""
    optimizer: int
    """The number of the optimizer that holds it, in the order in which they were made."""
    size: int | None
    """Its elements."""
    norm_first: float | None
    """Its norm at the first sampled step."""
    norm_last: float | None
    """Its norm at the last one."""
    mean_first: float | None
    """Its mean at the first sampled step."""
    mean_last: float | None
    """Its mean at the last one."""
    std_first: float | None
    """Its standard deviation at the first sampled step."""
    std_last: float | None
    """Its standard deviation at the last one."""
    largest_first: float | None
    """Its largest magnitude at the first sampled step."""
    largest_last: float | None
    """Its largest magnitude at the last one."""
    shape: tuple[int, ...] | None = None
    """Its shape; outputs come first, as torch's layers have it."""
    alike_first: bool | None = None
    """Whether its rows, one for each unit, are copies of each other after the first sampled step."""
    alike_last: bool | None = None
    """The same at the last one."""
    begun_at: Place | None = None
    """The line that gave it its first values, as the last one before there was an optimizer."""


@dataclass(frozen=True)
class WeightStatistics(Fact):
    """The values of each parameter, early and late."""

    fact: ClassVar[str] = "weight-statistics"

    steps: tuple[int, ...]
    """The sampled steps."""
    layers: tuple[LayerWeights, ...]
    """The parameters in the order in which the optimizers hold them."""


@dataclass(frozen=True)
class Moments:
    """An optimizer's memory of one parameter's gradients, beside the gradient itself."""

    name: str
    """The parameter's name."""
    gradient: float | None
    """The root mean square of its gradient at the last sampled step."""
    first: float | None
    """The root mean square of the first moment at that step."""
    second: float | None
    """The root of the mean second moment at that step."""


@dataclass(frozen=True)
class OptimizerState(Fact):
    """What the busiest optimizer remembers between its steps: moments, and for how many steps."""

    fact: ClassVar[str] = "optimizer-state"

    optimizer: str
    """The optimizer's class."""
    steps: tuple[int, ...]
    """The sampled steps at which the age is known."""
    ages: tuple[int, ...]
    """How many steps the state had seen at each of them."""
    moments: tuple[Moments, ...] = ()
    """The moments at the last sampled step, parameter by parameter."""
    moments_step: int | None = None
    """The step at which they were read."""


@dataclass(frozen=True)
class LayerActivations:
    """The output of one layer over the sampled steps, early and late."""

    name: str
    """The layer's path inside the model."""
    kind: str
    """The layer's class."""
    where: Place | None
    """The line that built it."""
    samples: int
    """Calls that were looked at."""
    mean_first: float | None
    """The mean of its output at the first of them."""
    mean_last: float | None
    """The mean of its output at the last one."""
    std_first: float | None
    """The standard deviation of its output at the first."""
    std_last: float | None
    """The standard deviation of its output at the last."""
    dead_first: float | None = None
    """Share of units that are 0 for the whole batch, at the first; None where units cannot be dead."""
    dead_last: float | None = None
    """The same at the last."""
    saturated_first: float | None = None
    """Share of values within 1 % of a bounded activation's limit, at the first; None for others."""
    saturated_last: float | None = None
    """The same at the last."""
    nonfinite: int = 0
    """Values that were NaN or Inf, over all that were looked at."""
    dropped: float | None = None
    """Of dropout: the share of values that it made zero, in the median; None for others."""
    varies: float | None = None
    """How much its output differs from sample to sample at the last of them, relative to its size."""
    values_per_unit: int | None = None
    """Of batch normalisation: the values that each unit's mean was taken from, in the median; None for others."""


@dataclass(frozen=True)
class Activations(Fact):
    """What the layers put out, on the sampled steps."""

    fact: ClassVar[str] = "activations"

    steps: tuple[int, ...]
    """The sampled steps."""
    layers: tuple[LayerActivations, ...]
    """The layers in the order in which they were called."""

"""Gradients: their norms, whether they are cleared, clipped or skipped, and how they spread over the layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class GradientReset(Fact):
    """Whether an optimizer's gradients were cleared between its steps."""

    fact: ClassVar[str] = "gradient-reset"

    optimizer: str
    """The optimizer's class."""
    steps: int
    """Steps that were looked at; before the first one there is nothing to clear."""
    kept: int
    """Steps before which the gradient of the previous step was never cleared."""
    step_at: Place | None = None
    """The line that calls step."""
    backward_at: Place | None = None
    """The line that calls backward."""


@dataclass(frozen=True)
class GradientNorms(Fact):
    """The global gradient norm of each step, before clipping."""

    fact: ClassVar[str] = "gradient-norms"

    steps: tuple[int, ...]
    """The steps whose norm is known; of a long run, those with the largest norm of each stretch."""
    norms: tuple[float, ...]
    """The norm at each of them."""
    estimated: int = 0
    """Steps whose norm was estimated from a sample of the elements."""


@dataclass(frozen=True)
class Clipping(Fact):
    """Gradient clipping: the norm before it, the limit, and how often the limit was passed."""

    fact: ClassVar[str] = "clipping"

    calls: int
    """Steps in which the norm was compared with a limit."""
    fired: int
    """Steps in which it was above the limit, so that the gradient was scaled down."""
    steps_in_all: int
    """All recorded steps of the optimizer, with and without clipping."""
    limit_first: float
    """The limit at the first of the calls."""
    limit_last: float
    """The limit at the last of them."""
    steps: tuple[int, ...] = ()
    """A sample of the steps with clipping."""
    norms: tuple[float, ...] = ()
    """The norm before clipping at each of them."""
    limits: tuple[float, ...] = ()
    """The limit at each of them."""


@dataclass(frozen=True)
class SkippedSteps(Fact):
    """Steps that a gradient scaler left out, and its scale."""

    fact: ClassVar[str] = "skipped-steps"

    skipped: int
    """Steps left out."""
    taken: int
    """Steps taken by all optimizers."""
    longest: int
    """The most steps that were left out in a row."""
    steps: tuple[int, ...] = ()
    """For each step left out, how many its optimizer had taken before; at most two hundred."""
    scale_first: float | None = None
    """The scale when it was first seen."""
    scale_last: float | None = None
    """The scale when it was last seen."""
    scale_lowest: float | None = None
    """The smallest scale seen."""


@dataclass(frozen=True)
class LayerGradient:
    """The gradient of one parameter over the sampled steps."""

    name: str
    """The parameter's name."""
    optimizer: int
    """The number of the optimizer that holds it, in the order in which they were made."""
    size: int | None
    """Its elements."""
    first: float | None
    """The norm at the first sampled step that has a gradient."""
    last: float | None
    """The norm at the last one."""
    median: float | None
    """The median norm."""
    lowest: float | None
    """The smallest finite norm."""
    highest: float | None
    """The largest finite norm."""
    samples: int
    """Steps that were sampled."""
    absent: int = 0
    """Sampled steps in which it had no gradient at all."""
    zero: int = 0
    """Sampled steps in which its gradient was exactly zero."""
    nonfinite: int = 0
    """Sampled steps in which its gradient held NaN or Inf."""


@dataclass(frozen=True)
class LayerGradients(Fact):
    """Gradient norms parameter by parameter, on the sampled steps."""

    fact: ClassVar[str] = "layer-gradients"

    steps: tuple[int, ...]
    """The sampled steps."""
    layers: tuple[LayerGradient, ...]
    """The parameters in the order in which the optimizers hold them."""


@dataclass(frozen=True)
class GradientNoise(Fact):
    """How far the gradients of neighbouring steps agree, and the loss that their noise comes to at this rate."""

    fact: ClassVar[str] = "gradient-noise"

    steps: tuple[int, ...]
    """The first step of each stretch that was looked at."""
    shared: tuple[float, ...]
    """Of the mean square of a stretch's gradients, the part that all its steps share: 1 where they are the same, about
    0 where they have nothing in common."""
    floor: tuple[float, ...]
    """How far above its minimum the noise would keep the loss in the long run, at this rate and this size of
    gradients: a quarter of the gradient times what it moves."""
    batch: int | None = None
    """The samples of a step, in the median; None where they were not seen."""
    last: int = 0
    """The last step of the run."""


@dataclass(frozen=True)
class HandGradient:
    """A function of the program's own, and its gradient beside the differences of its forward pass."""

    name: str
    """Its class."""
    path: str
    """The class with what it stands in."""
    says: str
    """Right, wrong, stand-in (it passes where the output does not move), identity (only the gradient changes), or
    unknown."""
    where: Place | None = None
    """The line at which its gradient is written."""
    error: float | None = None
    """The largest relative difference between the gradient and the slope."""
    input: int | None = None
    """The argument whose gradient is the most wrong, counted from 0."""
    places: int = 0
    """Numbers of that argument that were tried."""
    off: int = 0
    """Those of them whose gradient is not the slope."""
    written: float | None = None
    """The gradient where it is the most wrong."""
    slope: float | None = None
    """The slope there."""
    ratio: float | None = None
    """The gradient over the slope, where it is the same everywhere."""
    why: str = ""
    """Why nothing is known."""


@dataclass(frozen=True)
class HandGradients(Fact):
    """Gradients that the program writes by hand, as calls of an early step showed them."""

    fact: ClassVar[str] = "hand-gradients"

    functions: tuple[HandGradient, ...]
    """The functions that were called; of several calls, the one that is the most wrong."""

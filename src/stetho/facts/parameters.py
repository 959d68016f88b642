"""Parameters: which of them the loss reaches, an optimizer holds and a step changes, and their types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Amount, Fact


@dataclass(frozen=True)
class Coverage(Fact):
    """Which parameters the loss reaches and which of them an optimizer holds."""

    fact: ClassVar[str] = "optimizer-coverage"

    reached: int
    """Elements of the parameters that the loss depends on and that ask for a gradient."""
    left_out: int
    """Elements among them that no optimizer holds."""
    names: tuple[str, ...] = ()
    """The names of the parameters left out, at most twenty."""
    idle: int = 0
    """Elements that an optimizer holds and the loss does not reach."""
    loaded: bool = False
    """Whether the parameters left out were filled from a checkpoint before training."""
    optimizer_at: Place | None = None
    """The line that made the optimizer."""
    made_after: bool = False
    """Whether the parameters left out came into being after the optimizer did."""
    unregistered: tuple[Place, ...] = ()
    """Where modules are kept in a plain list or dict, which hides them from `parameters()`; key is the attribute."""
    covering: tuple[Place, ...] = ()
    """For the optimizer's line and its callers: a module expression (key) in scope that holds all of them."""
    extra: tuple[Place, ...] = ()
    """The same for expressions that hold parameters left out but not all the others."""
    optimizer: str = ""
    """The optimizer's class."""
    made_at: tuple[Place, ...] = ()
    """Where the layers that own the parameters left out were built; key is the function."""
    thawed_at: int | None = None
    """About the step at which they, frozen before, began to ask for gradients; None where they did from the start."""


@dataclass(frozen=True)
class ParameterStates(Fact):
    """Parameters by name that are not simply trained; None is unknown, and empty means that there are none."""

    fact: ClassVar[str] = "parameter-states"

    no_gradient: tuple[str, ...] | None = None
    """Held by an optimizer, and given no gradient in the steps looked at; at most twenty."""
    unchanged: tuple[str, ...] | None = None
    """Held by an optimizer, and not changed by the steps looked at; at most twenty."""
    frozen: tuple[str, ...] | None = None
    """Part of a model or held by an optimizer, and not asking for a gradient; at most twenty of each."""
    shared: tuple[tuple[str, ...], ...] | None = None
    """Parameters that go by several names, one entry for each; at most twenty of a model."""
    left_out: tuple[str, ...] | None = None
    """Reached by the loss, and held by no optimizer; at most twenty."""


@dataclass(frozen=True)
class Types(Fact):
    """The data types and devices of parameters, inputs, outputs, losses and targets."""

    fact: ClassVar[str] = "types"

    parameters: tuple[Amount, ...] = ()
    """Elements that optimizers hold, by data type."""
    devices: tuple[Amount, ...] = ()
    """Elements that optimizers hold, by device."""
    inputs: tuple[str, ...] = ()
    """Types of what enters the models."""
    outputs: tuple[str, ...] = ()
    """Types of what leaves them."""
    output_devices: tuple[str, ...] = ()
    """Devices of what leaves the models."""
    losses: tuple[str, ...] = ()
    """Types of what enters the loss functions."""
    targets: tuple[str, ...] = ()
    """Types of the targets."""
    autocast: tuple[str, ...] = ()
    """Types that automatic mixed precision computed in."""


@dataclass(frozen=True)
class GraphCut:
    """A line that takes values out of the graph, and what never comes to the loss because of it."""

    kind: str
    """How: detach, data, item, numpy, tolist, or no_grad for an operation that is not recorded."""
    elements: int
    """Elements of the parameters behind it that an optimizer holds and the loss does not reach."""
    inside: bool
    """Whether a whole model was running."""
    where: tuple[Place, ...] = ()
    """The line, and those that led to it."""
    names: tuple[str, ...] = ()
    """The parameters, at most twenty."""


@dataclass(frozen=True)
class GraphCuts(Fact):
    """Parameters that an optimizer holds and the loss does not reach, beside the lines that cut them off."""

    fact: ClassVar[str] = "graph-cuts"

    idle: int
    """Elements of these parameters, cut off or never used."""
    random: int
    """Elements of those that have the random values of their making still."""
    kept: int
    """Elements of those that were loaded, or trained before."""
    reached: int
    """Elements that the loss reaches."""
    cuts: tuple[GraphCut, ...] = ()
    """The lines, those that keep most from the loss first."""


@dataclass(frozen=True)
class Frozen(Fact):
    """Parameters that ask for no gradient, in models that are trained in part."""

    fact: ClassVar[str] = "frozen"

    elements: int
    """Elements of these models."""
    frozen: int
    """Elements that ask for no gradient."""
    random: int
    """Elements of those that have the random values of their making still, neither loaded nor trained before."""
    switches: tuple[Place, ...] = ()
    """Lines that switch gradients off for parameters."""

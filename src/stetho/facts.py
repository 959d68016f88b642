"""The kinds of fact that evidence can hold. Checks read these and nothing else.

A fact says what was measured, never what it means. Each class has a name (`fact`), by which evidence in
a ledger finds it again, and fields that survive a round trip through JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from stetho.evidence import Place


@dataclass(frozen=True)
class Fact:
    """What all facts share: a name."""

    fact: ClassVar[str]


@dataclass(frozen=True)
class LossCurve(Fact):
    """The value handed to backward, step by step, for the busiest backward call of the run."""

    fact: ClassVar[str] = "loss-curve"

    values: tuple[float, ...]
    steps: tuple[int, ...] = ()
    where: Place | None = None
    chance: float | None = None
    """The loss of a model that knows only the label frequencies (ln K for K balanced classes, var(y) for MSE)."""
    chance_is: str = ""
    objectives: int = 1
    """How many backward calls with different lines train different optimizers (two for a GAN)."""
    nonfinite_step: int | None = None
    nonfinite_in: str | None = None
    explained: float | None = None
    """Share of the targets' variance that the predictions account for, late in the run, when numbers are predicted."""


@dataclass(frozen=True)
class RunEnd(Fact):
    """How the observed process ended."""

    fact: ClassVar[str] = "run-end"

    code: int | None
    signal: str | None = None
    steps: int = 0
    seconds: float = 0.0
    attached: bool = True
    stopped_by: str | None = None
    """`bound` when the step bound was reached, `time` when the time was up, None when it ended by itself."""
    backwards: int = 0


@dataclass(frozen=True)
class Crash(Fact):
    """An exception that ended the program, as its traceback tells it."""

    fact: ClassVar[str] = "crash"

    exception: str
    message: str
    where: Place | None = None
    frames: tuple[Place, ...] = ()
    log_line: int | None = None
    lines_after: int = 0
    """Lines of output after the traceback: many of them, in a log, mean that the program caught it and went on."""


@dataclass(frozen=True)
class LossInput(Fact):
    """What one loss call site received, over the calls that were looked at."""

    fact: ClassVar[str] = "loss-input"

    function: str
    where: Place | None
    looked_at: int
    normalised: int
    """Calls whose input was already a probability distribution: values in 0..1, and rows that sum to one."""
    classes: int | None = None
    trained: bool = True
    """Whether backward went through this call; an evaluation-only call is not part of the objective."""
    reduction: str | None = None
    batch: int | None = None
    produced_by: str | None = None
    """The operation that made the input, such as softmax or sigmoid, when a traced step showed it."""
    produced_at: tuple[Place, ...] = ()
    accuracy_first: float | None = None
    accuracy_last: float | None = None


@dataclass(frozen=True)
class LossInputs(Fact):
    """Every loss call site of the run."""

    fact: ClassVar[str] = "loss-inputs"

    sites: tuple[LossInput, ...]


@dataclass(frozen=True)
class GradientReset(Fact):
    """Whether an optimizer's gradients were cleared between its steps."""

    fact: ClassVar[str] = "gradient-reset"

    optimizer: str
    steps: int
    kept: int
    """Steps before which the gradient of the previous step was never cleared."""
    step_at: Place | None = None
    backward_at: Place | None = None


@dataclass(frozen=True)
class Coverage(Fact):
    """Which parameters the loss reaches and which of them an optimizer holds."""

    fact: ClassVar[str] = "optimizer-coverage"

    reached: int
    """Elements of the parameters that the loss depends on and that ask for a gradient."""
    left_out: int
    """Elements among them that no optimizer holds."""
    names: tuple[str, ...] = ()
    idle: int = 0
    """Elements that an optimizer holds and the loss does not reach."""
    loaded: bool = False
    """Whether the parameters left out were filled from a checkpoint before training."""
    optimizer_at: Place | None = None
    made_after: bool = False
    """Whether the parameters left out came into being after the optimizer did."""
    unregistered: tuple[Place, ...] = ()
    """Where modules are kept in a plain list or dict, which hides them from `parameters()`; key is the attribute."""
    covering: tuple[Place, ...] = ()
    """For the optimizer's line and its callers: a module expression (key) in scope that holds all of them."""
    extra: tuple[Place, ...] = ()
    """The same for expressions that hold parameters left out but not all the others."""
    optimizer: str = ""
    made_at: tuple[Place, ...] = ()
    """Where the layers that own the parameters left out were built; key is the function."""


@dataclass(frozen=True)
class UpdateRatios(Fact):
    """Parameter change over parameter norm per step, really measured, for the sampled steps."""

    fact: ClassVar[str] = "update-ratios"

    steps: tuple[int, ...]
    ratios: tuple[float, ...]
    rates: tuple[float, ...] = ()
    """The learning rate at those steps."""


@dataclass(frozen=True)
class LearningRate(Fact):
    """The learning rate in force at each sampled step, and where the optimizer was made."""

    fact: ClassVar[str] = "learning-rate"

    optimizer: str
    steps: tuple[int, ...]
    values: tuple[float, ...]
    initial: float
    where: Place | None = None
    frames: tuple[Place, ...] = ()
    """The user's frames in which the optimizer was made, innermost first."""
    clipped: float | None = None
    """Share of the steps in which gradient clipping changed the gradient; None when nothing clips."""


@dataclass(frozen=True)
class GradientNorms(Fact):
    """The global gradient norm that each step used."""

    fact: ClassVar[str] = "gradient-norms"

    steps: tuple[int, ...]
    norms: tuple[float, ...]


@dataclass(frozen=True)
class NonfiniteOrigin(Fact):
    """The first operation that turned finite numbers into NaN or Inf."""

    fact: ClassVar[str] = "nonfinite-origin"

    step: int
    operation: str
    phase: str
    """forward or backward."""
    where: Place | None = None
    frames: tuple[Place, ...] = ()
    input_min: float | None = None
    input_max: float | None = None
    input_zeros: int = 0
    input_size: int = 0
    divisor_zeros: int = 0


@dataclass(frozen=True)
class InputScale(Fact):
    """The numbers that enter the model, on sampled batches."""

    fact: ClassVar[str] = "input-scale"

    mean: float
    std: float
    low: float
    high: float
    feature_spread: float | None = None
    """Largest over smallest standard deviation among the features that vary."""
    nonfinite: int = 0
    where: Place | None = None
    samples: int = 0
    discrete: bool = False
    """Indices or tokens, which have no scale."""


@dataclass(frozen=True)
class Association(Fact):
    """Whether similar inputs carry similar labels: nearest neighbours against pairs drawn at random."""

    fact: ClassVar[str] = "input-label-association"

    samples: int
    agreement: float
    """Share of nearest neighbours with the same label (1 - normalised squared difference for numbers)."""
    expected: float
    """The same for random pairs."""
    error: float
    """Standard error of the agreement."""
    repeated: float = 0.0
    """Share of samples that have an identical input elsewhere in the sample."""


@dataclass(frozen=True)
class SourceLines(Fact):
    """Lines of the user's code that an earlier step of the investigation pointed at."""

    fact: ClassVar[str] = "source-lines"

    subject: str
    places: tuple[Place, ...] = field(default=())


@dataclass(frozen=True)
class Machine(Fact):
    """What the machine had to give when the run began."""

    fact: ClassVar[str] = "machine"

    cores: int
    memory_total: int
    memory_free: int
    disk_free: int
    memory_limit: int | None = None
    oom_kills: int | None = None


FACTS: dict[str, type[Fact]] = {c.fact: c for c in Fact.__subclasses__()}

"""The run: its command, models and optimizers, how long its steps take, its memory, and how much of it is on record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Amount, Fact, Setting


@dataclass(frozen=True)
class Loop:
    """A loop of the program around its optimizer step."""

    where: Place
    """The line of the loop."""
    rounds: int | None
    """How often it goes round, where that can be told beforehand."""


@dataclass(frozen=True)
class RunSetup(Fact):
    """What was run, with what, and how many steps it plans."""

    fact: ClassVar[str] = "run-setup"

    command: tuple[str, ...]
    """The program and its arguments, as the process saw them."""
    cwd: str | None = None
    """The directory that it ran in."""
    python: str | None = None
    """The version of Python."""
    torch: str | None = None
    """The version of torch."""
    threads: int | None = None
    """Threads that torch computes with."""
    rank: int | None = None
    """The rank of this process."""
    world: int | None = None
    """How many processes train together."""
    planned_steps: int | None = None
    """The optimizer steps that the program's loops add up to; None when one of them is of unknown length."""
    loops: tuple[Loop, ...] = ()
    """The loops around the optimizer step, the innermost first, at most eight."""


@dataclass(frozen=True)
class Model:
    """One whole model."""

    name: str
    """Its class."""
    where: Place | None
    """The line that made it."""
    parameters: int | None
    """The elements of all its parameters."""
    trainable: int | None
    """Those that ask for a gradient."""
    settings: tuple[Setting, ...] = ()
    """The plain values it was made with."""
    dtypes: tuple[Amount, ...] = ()
    """Elements by data type."""
    devices: tuple[Amount, ...] = ()
    """Elements by device."""


@dataclass(frozen=True)
class Models(Fact):
    """The models of the run, their size and the values they were made with."""

    fact: ClassVar[str] = "models"

    models: tuple[Model, ...]
    """The models in the order in which they were first called."""


@dataclass(frozen=True)
class OptimizerUse:
    """One optimizer."""

    name: str
    """Its class."""
    where: Place | None
    """The line that made it."""
    steps: int
    """The steps it took."""
    rates: tuple[float, ...] = ()
    """The learning rate of each group when it was made."""
    momentum: float | None = None
    """Its momentum, where it has one."""
    decay: float | None = None
    """The strongest weight decay of its groups, where it knows one."""
    settings: tuple[Setting, ...] = ()
    """Its defaults, those of the program and those of the library."""
    group_sizes: tuple[int, ...] = ()
    """Elements in each parameter group."""
    fused: bool | None = None
    """Whether one kernel updates all parameters."""


@dataclass(frozen=True)
class Optimizers(Fact):
    """The optimizers of the run and the values they were made with."""

    fact: ClassVar[str] = "optimizers"

    optimizers: tuple[OptimizerUse, ...]
    """The optimizers in the order in which they were made."""


@dataclass(frozen=True)
class StepTimes(Fact):
    """How long the steps of the busiest optimizer take, and how much of it is waiting for data or evaluation."""

    fact: ClassVar[str] = "step-times"

    first: float
    """Seconds until the end of the first recorded step, which often does more than the others."""
    median: float
    """Median seconds from the end of one step to the end of the next, all that lies between included."""
    slowest: float
    """The longest of them, the first left out where there are others."""
    slowest_step: int
    """The step that took it."""
    total: float
    """Seconds of all recorded steps together."""
    wait_median: float | None = None
    """Median seconds of a step spent waiting for the DataLoader; None when nothing waits for one."""
    wait_total: float | None = None
    """Seconds spent so in all."""
    validation_total: float | None = None
    """Seconds of evaluation in all; None when there was none."""
    validations: int | None = None
    """Steps that evaluation came before."""
    steps: tuple[int, ...] = ()
    """A sample of the steps."""
    seconds: tuple[float, ...] = ()
    """What each of them took."""
    waits: tuple[float, ...] = ()
    """The wait for data in each of them, when it was measured in all."""


@dataclass(frozen=True)
class Memory(Fact):
    """The memory of the training process over the run, in bytes."""

    fact: ClassVar[str] = "memory"

    steps: tuple[int, ...]
    """Steps after which it was read."""
    resident: tuple[int, ...]
    """Main memory in use at each of them."""
    highest: int
    """The most main memory that was in use."""
    device: tuple[int, ...] = ()
    """Accelerator memory in use at each of them, when there is one."""
    device_highest: int | None = None
    """The most accelerator memory that was read."""


@dataclass(frozen=True)
class Recorded(Fact):
    """How much of the run is on record: long runs keep fewer of their older steps."""

    fact: ClassVar[str] = "recorded"

    steps: int
    """Steps that the busiest optimizer took."""
    recorded: int
    """Those that are on record."""
    thinned: bool
    """Whether older steps were thinned out to save room."""
    full: bool
    """Whether the recording reached its limit, so that the end is missing."""
    faults: int
    """Errors inside the observer; after one it records no more."""
    processes: int | None = None
    """Processes that left a recording, loader workers included."""


@dataclass(frozen=True)
class Machine(Fact):
    """What the machine had to give when the run began."""

    fact: ClassVar[str] = "machine"

    cores: int
    """Cores that the program may use."""
    memory_total: int
    """Main memory, in bytes."""
    memory_free: int
    """Main memory that was free, in bytes."""
    disk_free: int | None
    """Free disk under the working directory, in bytes; None where that may not be looked at."""
    memory_limit: int | None = None
    """The limit that a container sets, in bytes."""
    oom_kills: int | None = None
    """Processes of the container that were killed for want of memory before the run."""

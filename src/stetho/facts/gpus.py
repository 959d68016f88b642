"""The accelerators: use, memory, temperature, what holds them back, and who uses them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.facts.fact import Fact


@dataclass(frozen=True)
class GpuProcess:
    """A process on a device."""

    pid: int
    """Its number."""
    memory: int | None = None
    """Device memory it holds, in bytes."""
    ours: bool = False
    """Whether it belongs to the run."""


@dataclass(frozen=True)
class Gpu:
    """One device."""

    index: int
    """Its number."""
    name: str
    """Its model."""
    use: tuple[int, ...] = ()
    """Per cent of the time that a kernel ran, look by look."""
    memory_used: int | None = None
    """Device memory in use, in bytes."""
    memory_total: int | None = None
    """Device memory that it has, in bytes."""
    temperature: int | None = None
    """Degrees Celsius."""
    power: float | None = None
    """Watts drawn."""
    power_limit: float | None = None
    """Watts allowed."""
    throttled: tuple[str, ...] = ()
    """What slows its clock: `hw-slowdown`, `hw-thermal`, `hw-power-brake`, `sw-thermal`, `sw-power`; a power cap alone
    is everyday."""
    ecc_errors: int | None = None
    """Uncorrected memory errors since the driver was loaded."""
    processes: tuple[GpuProcess, ...] = ()
    """Who uses it, as far as this can be seen."""


@dataclass(frozen=True)
class Gpus(Fact):
    """The accelerators of the machine."""

    fact: ClassVar[str] = "gpus"

    gpus: tuple[Gpu, ...]
    """The devices in their order."""
    driver: str = ""
    """The driver's version."""
    watched: float = 0.0
    """Seconds over which their use was looked at."""

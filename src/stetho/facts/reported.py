"""The run's own record: what the tracker or trainer that wrote it says about the end, and the settings it was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.facts.fact import Fact


@dataclass(frozen=True)
class ReportedEnd(Fact):
    """How the run ended by what its own tracker or trainer wrote, which a run that dies may never write."""

    fact: ClassVar[str] = "reported-end"

    writer: str
    """Who wrote it: W&B, MLflow, Trainer."""
    outcome: str
    """`finished`, `failed`, `killed`, or `open`: no end is written, so the run died or was still going on."""
    stated: str = ""
    """The writer's own word for it, where it has one."""
    code: int | None = None
    """The exit code that was written."""
    step: int | None = None
    """The last step that was written."""
    planned_steps: int | None = None
    """The steps that the run was to take."""
    epoch: float | None = None
    """The last epoch that was written."""
    planned_epochs: float | None = None
    """The epochs that the run was to take."""
    best: float | None = None
    """The best value of the metric that the writer watched."""
    best_at: int | None = None
    """The step of the best value."""
    started: float | None = None
    """When the run began, in seconds since 1970."""
    ended: float | None = None
    """When the run ended, or was last heard of, in seconds since 1970."""


@dataclass(frozen=True)
class Records(Fact):
    """What a dead run is known from."""

    fact: ClassVar[str] = "records"

    files: int
    """Files, and folders that are one thing, that a reader knows."""
    formats: tuple[str, ...] = ()
    """The readers that know them."""
    curves: int = 0
    """Metrics that were logged over the run."""
    points: int = 0
    """Points of the one that is taken for the loss; 0 where none is."""


@dataclass(frozen=True)
class ConfigValue:
    """One value of a configuration."""

    key: str
    """The key, with those that it stands under before it, joined by dots."""
    text: str
    """The value as text; `(hidden)` where the key names a secret."""
    number: float | None = None
    """The value as a number, where it is one."""
    line: int | None = None
    """The line of the file that it stands on."""


@dataclass(frozen=True)
class Config(Fact):
    """The settings that a run was given, as a file of its own or its tracker has them."""

    fact: ClassVar[str] = "config"

    format: str
    """How it was written: yaml, json, toml, arguments, or the tracker's name."""
    values: tuple[ConfigValue, ...]
    """The values in the order in which they are written, at most two thousand."""
    total: int = 0
    """All values."""

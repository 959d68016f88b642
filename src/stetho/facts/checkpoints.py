"""Checkpoints: whether each is whole, and what its weights are like, without running anything that it says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from stetho.facts.fact import Fact


@dataclass(frozen=True)
class WeightFlaw:
    """A tensor of a checkpoint that no healthy training leaves."""

    name: str
    """Its name in the checkpoint."""
    what: str
    """`nonfinite`, `zero` or `constant`."""
    elements: int
    """Elements that it has."""
    bad: int = 0
    """Elements that are NaN or Inf."""


@dataclass(frozen=True)
class Checkpoint(Fact):
    """One checkpoint as it lies on disk."""

    fact: ClassVar[str] = "checkpoint"

    format: str
    """`torch`, `torch before 1.6`, `safetensors`, `distributed`, or `unknown` for a file without a byte."""
    state: str
    """`whole`, or what is wrong: `empty`, `truncated`, `damaged`, `incomplete`."""
    file: str = ""
    """Its file or folder."""
    size: int = 0
    """Its bytes."""
    modified: float = 0.0
    """When it was last written, in seconds since 1970."""
    detail: str = ""
    """What shows it."""
    tensors: int | None = None
    """Tensors that it holds."""
    scanned: int = 0
    """Tensors whose values were looked at."""
    flaws: tuple[WeightFlaw, ...] = ()
    """Tensors that are not finite, at most twenty, and matrices that are all zero or all one value."""
    names: tuple[str, ...] = ()
    """Classes and functions that loading it would call beside those of torch's own, at most twenty."""

    @property
    def broken(self) -> bool:
        return self.state != "whole"

    @property
    def number(self) -> int | None:
        """The last number of its name, which mostly is its step."""
        found = re.findall(r"\d{1,12}", self.file.rsplit("/", 1)[-1])
        return int(found[-1]) if found else None

    def named_in(self, text: str) -> bool:
        """Whether a text speaks of this file: its own name stands there, as a whole word of a path."""
        own = self.file.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        return bool(own) and re.search(rf"(?<![\w.-]){re.escape(own)}(?![\w-])", text) is not None


@dataclass(frozen=True)
class Checkpoints(Fact):
    """All checkpoints of a run, the oldest first."""

    fact: ClassVar[str] = "checkpoints"

    found: tuple[Checkpoint, ...]
    """The checkpoints, at most a hundred of the newest."""
    smaller: tuple[str, ...] = ()
    """Those that are clearly smaller than the others of their kind beside them."""
    last_line: float | None = None
    """When a log of the run was last written, in seconds since 1970."""

    @property
    def last(self) -> Checkpoint | None:
        """The newest one: by the numbers of their names where all have one, else by when they were written."""
        if not self.found:
            return None
        if all(one.number is not None for one in self.found):
            return max(self.found, key=lambda one: (one.number or 0, one.modified))
        return max(self.found, key=lambda one: one.modified)

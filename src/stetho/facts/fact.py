"""What all facts share: a name, and a few small records that several of them use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Fact:
    """What all facts share: a name."""

    fact: ClassVar[str]


@dataclass(frozen=True)
class Setting:
    """A value that the program handed to a model or an optimizer."""

    name: str
    """The argument's name."""
    text: str
    """The value as text."""
    number: float | None = None
    """The value as a number, where it is one."""


@dataclass(frozen=True)
class Amount:
    """How many elements are of one kind."""

    kind: str
    """A data type or a device."""
    elements: int
    """How many elements are of it."""


@dataclass(frozen=True)
class ClassCount:
    """How often a class occurs."""

    label: int
    """The class."""
    count: int
    """How often it occurs."""

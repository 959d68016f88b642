"""The Python environment: versions of what training rests on, and those that do not fit together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.facts.fact import Fact


@dataclass(frozen=True)
class Package:
    """An installed distribution."""

    name: str
    """Its name."""
    version: str
    """Its version, with the tag of its build, such as `2.4.1+cu121`."""
    path: str
    """The folder it is installed in."""


@dataclass(frozen=True)
class Misfit:
    """Two packages whose versions do not fit together."""

    packages: tuple[str, ...]
    """Their names."""
    why: str
    """What does not fit, in words."""
    broken: bool = True
    """Whether it is known to fail, and not only unsupported."""


@dataclass(frozen=True)
class PythonPackages(Fact):
    """What is installed where the run's Python looks, as its metadata say, nothing imported."""

    fact: ClassVar[str] = "python-packages"

    python: str
    """The interpreter."""
    packages: tuple[Package, ...]
    """Those that training rests on."""
    misfits: tuple[Misfit, ...] = ()
    """Those that do not fit together."""
    version: str = ""
    """The version of Python."""

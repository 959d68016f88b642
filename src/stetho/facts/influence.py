"""Influence: whether what a model answers for one sample follows others, and whether it follows what comes later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class Influence(Fact):
    """What changed in a model's output when a part of its input was replaced, tried in a copy of the process."""

    fact: ClassVar[str] = "influence"

    samples: int | None = None
    """Samples in the batch that was tried; None when it could not be."""
    mixed: int | None = None
    """Other samples whose output changed when one sample was replaced; batch statistics and dropout were off."""
    aside: bool = False
    """Whether all is kept apart along the second axis, which may then be that of the samples."""
    operation: str = ""
    """The operation that brought samples together."""
    manner: str = ""
    """How it did: reshape, recurrent, attention, softmax or norm along the samples; other or unknown."""
    mixed_at: tuple[Place, ...] = ()
    """The user's frames that called it, innermost first."""
    module: str | None = None
    """The innermost module that was running."""
    shapes: tuple[tuple[int, ...], ...] = ()
    """The shape that went into it and the one that came out."""
    places: int | None = None
    """Places of a sequence that were looked at, where targets are what the input holds one place later; else None."""
    leaking: int | None = None
    """Those among them whose output changed with what comes after them."""
    leak_operation: str = ""
    """The operation through which they see it."""
    leak_at: tuple[Place, ...] = ()
    """The user's frames that called it."""
    affine: bool | None = None
    """Whether the output is a linear map of the input, and a shift; None where that was not tried."""
    layers: int = 0
    """Layers with weights of two axes or more in the model that this was tried on."""

"""A fact that follows from several artifacts, in words, and where it was read."""

from __future__ import annotations

from dataclasses import dataclass

from stetho.evidence import Source
from stetho.facts import Fact


@dataclass(frozen=True)
class Known:
    """A fact, in words, and where it was read; without a fact where the words are all that counts."""

    fact: Fact | None
    words: str
    source: Source

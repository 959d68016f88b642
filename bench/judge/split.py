"""Which programs may be looked at while numbers are chosen, and which only judge the result."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tomllib
from bench.judge.case import CORPUS

TUNE, TEST = "tune", "test"


@dataclass(frozen=True)
class Split:
    """Programs for tuning by name, and families that tuning must not see."""

    tune: frozenset[str]
    held_out: frozenset[str]

    def side(self, base: str) -> str:
        return TUNE if base in self.tune else TEST

    def allows(self, base: str, family: str) -> bool:
        """Whether a program of this family may be made from that base: tuning sees no family that is held out."""
        return self.side(base) == TEST or family not in self.held_out


def load(path: Path = CORPUS / "split.toml") -> Split:
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    return Split(frozenset(found["tune"]), frozenset(found["held_out"]))

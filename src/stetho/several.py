"""Several runs at once: a verdict for each, and what the failing ones share that the good ones do not have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stetho.facts import Config
from stetho.logged.runs import Run
from stetho.reader import Reading
from stetho.verdict import Verdict

MOST_SHARED = 12


@dataclass(frozen=True)
class RunVerdict:
    """One run of several."""

    run: str
    verdict: Verdict
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def fails(self) -> bool:
        return self.verdict.status in ("established", "suspected") or bool(self.verdict.symptoms)


@dataclass(frozen=True)
class SeveralRuns:
    """The verdicts of all runs that a target holds."""

    target: str
    runs: tuple[RunVerdict, ...]

    @property
    def exit_code(self) -> int:
        """As for one run: established in any, a problem in any, or all clear."""
        codes = {one.verdict.exit_code for one in self.runs}
        return 1 if 1 in codes else 3 if 3 in codes else 0

    @property
    def shared(self) -> tuple[str, ...]:
        """Settings that every failing run has and no good one; empty where there are not both."""
        bad, good = ([one.settings for one in self.runs if one.fails is fails] for fails in (True, False))
        if not bad or not good:
            return ()
        common = set(bad[0].items()).intersection(*(one.items() for one in bad[1:]))
        found = sorted(pair for pair in common if not any(one.get(pair[0]) == pair[1] for one in good))
        return tuple(f"{key}={value}" for key, value in found[:MOST_SHARED])


def settings_of(run: Run) -> dict[str, str]:
    """What a run was told to do, by the last of its configurations that says it."""
    found: dict[str, str] = {}
    for left in run.left:
        for piece in left.pieces:
            if isinstance(piece, Reading) and isinstance(piece.fact, Config):
                found |= {one.key: one.text for one in piece.fact.values}
    return found

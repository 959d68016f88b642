"""How a dead run ended, by everything that it left: its logs, its trackers, its last step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stetho.artifact import Artifact
from stetho.evidence import Source
from stetho.facts import Crash, Metrics, Progress, ReportedEnd, RunEnd
from stetho.logged.known import Known
from stetho.observation import STOPPED, UNFINISHED
from stetho.reader import Reading

# A launcher may still say a word or two after the traceback that ended a program.
LINES_AFTER_THE_END = 3


@dataclass(frozen=True)
class Told:
    """A reading, and the artifact that it was read from."""

    artifact: Artifact
    reading: Reading

    @property
    def source(self) -> Source:
        return Source(file=self.artifact.name, line=self.reading.line)


def ending(readings: Sequence[Told], metrics: Metrics | None) -> Known | None:
    """The end that the artifacts prove; unfinished where none of them says, and None where there was nothing to end."""
    steps = max((int(curve.steps[-1]) for curve in metrics.curves if curve.steps), default=0) if metrics else 0
    came = [told.reading.fact for told in readings if isinstance(told.reading.fact, Progress)]
    # Where only epochs are told, they are what was done.
    steps = max([steps, *(int(one.step if one.step is not None else one.epoch or 0) for one in came)])
    found = said_by_logs(readings) or said_by_trackers(readings)
    if found is None and steps:
        words = f"came to step {steps}, {STOPPED[UNFINISHED]}"
        return Known(RunEnd(code=None, steps=steps, stopped_by=UNFINISHED), words, Source())
    if found is None or not isinstance(found.fact, RunEnd):
        return None
    return replace(found, fact=replace(found.fact, steps=max(found.fact.steps, steps)))


def said_by_logs(readings: Sequence[Told]) -> Known | None:
    """What the newest log says of its end: a traceback that nothing follows, or its last words."""
    for told in reversed(readings):
        fact = told.reading.fact
        if isinstance(fact, Crash) and fact.lines_after <= LINES_AFTER_THE_END:
            if fact.exception == "KeyboardInterrupt":
                words = "somebody interrupted it from the keyboard"
                return Known(RunEnd(code=None, signal="SIGINT"), words, told.source)
            # An exception that nothing catches ends Python with code 1.
            words = "a traceback ends the log: the program did not end by itself"
            return Known(RunEnd(code=1, inferred=True), words, told.source)
        if isinstance(fact, RunEnd):
            return Known(fact, told.reading.summary, told.source)
    return None


def said_by_trackers(readings: Sequence[Told]) -> Known | None:
    """What a tracker or trainer wrote of the end."""
    for told in reversed(readings):
        fact = told.reading.fact
        if not isinstance(fact, ReportedEnd) or fact.outcome not in ("finished", "failed", "killed"):
            continue
        steps, words = fact.step or 0, f"{told.reading.summary}"
        if fact.outcome == "finished":
            return Known(RunEnd(code=fact.code or 0, steps=steps), words, told.source)
        if fact.outcome == "killed":
            return Known(RunEnd(code=None, signal="SIGKILL", steps=steps), words, told.source)
        return Known(RunEnd(code=fact.code or 1, steps=steps), words, told.source)
    return None

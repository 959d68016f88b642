"""A run that was made: its recording, put into the case, and the facts that it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stetho import files, measure
from stetho.executors.protocol import Ran
from stetho.facts import Fact, LossCurve, RunEnd
from stetho.inquiry import Facts, Inquiry
from stetho.logged.live import facts_of_output
from stetho.observation import recorded
from stetho.recording import Recording


@dataclass(frozen=True)
class Made:
    """One run, as it is kept in the case; its facts are no evidence yet."""

    record: Recording
    facts: Facts
    end: RunEnd
    told: Mapping[type[Fact], str] = field(default_factory=dict)
    """Each fact in words."""
    said: str = ""
    """The last line that the program printed."""


def keep(inquiry: Inquiry, ran: Ran, name: str = "", *, relate: bool = True) -> Made:
    """Put what a run left into the case, and let go of the run; `relate` asks for what relates inputs to targets."""
    try:
        record = recorded(inquiry, ran, name or inquiry.run_name())
        said = last_words(ran.output)
        found = [*measure.facts(record, relate=relate), *files.opened(record)]
        curve = next((fact for fact, _ in found if isinstance(fact, LossCurve)), None)
        told_by = facts_of_output(ran.output, inquiry.catalogue, curve) if curve is not None else ()
        found += [(one.fact, one.words) for one in told_by if one.fact is not None]
    finally:
        ran.discard()
    steps = measure.taken(measure.main_steps(record))
    inquiry.steps += 0 if ran.reused else steps
    end = RunEnd(ran.code, ran.signal, steps, round(ran.seconds, 2), record.attached, ran.stopped_by)
    facts: dict[type[Fact], tuple[str, Fact]] = {type(fact): ("", fact) for fact, _ in found}
    facts[RunEnd] = ("", end)
    told = {type(fact): words for fact, words in found}
    return Made(record, facts, end, {**told, RunEnd: f"{steps} steps in {ran.seconds:.1f} s"}, said)


def last_words(output: Path) -> str:
    """The last line that a program has printed, which names the error when it fails."""
    try:
        text = output.read_bytes()[-4096:].decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""

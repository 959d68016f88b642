"""The first, unchanged run: what the observer, the readers and the probes say about it."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from pathlib import Path

from stetho import measure, recording
from stetho.evidence import Source
from stetho.executors import local
from stetho.experiment import Bound
from stetho.facts import Fact, LossCurve, RunEnd
from stetho.inquiry import BASE, Inquiry, map_places, thinned
from stetho.recording import Recording

# Steps to go on after the first NaN: long enough to see that it stays.
AFTER_NAN = 15


def observe(inquiry: Inquiry) -> None:
    """Run the command as it is, in isolation, and put everything it shows on record."""
    request = inquiry.request
    command = " ".join(request.command)
    probe(inquiry)
    inquiry.show(f"observing  {command}")
    ran = local.run(
        request.command,
        request.cwd,
        seed=request.seed,
        bound=Bound(max(5.0, inquiry.remaining() / 3)),
        stdin=inquiry.stdin,
        watch=symptom_clear(inquiry),
    )
    inquiry.runs += 1
    try:
        record = recorded(inquiry, ran, BASE)
        put_end(inquiry, ran, record)
        put_output(inquiry, ran)
        for fact, summary in measure.facts(record):
            kept = thinned(fact) if isinstance(fact, LossCurve) else fact
            inquiry.ledger.add_evidence("observation", summary, source=source_of(fact, command), fact=kept, run=BASE)
        for fault in record.faults:
            inquiry.ledger.add_note(f"the observer switched itself off: {fault}")
        if not ran.scratch.overlay:
            inquiry.ledger.add_note("this machine allows no overlay; the command ran in a copy of the project")
    finally:
        ran.scratch.discard()


def probe(inquiry: Inquiry) -> None:
    for one in inquiry.catalogue.probes.values():
        fact = one.function(Path(inquiry.request.cwd))
        if fact is not None:
            summary = ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in vars(fact).items() if v is not None)
            source = Source(command=one.reads)
            inquiry.ledger.add_evidence("probe", f"{one.id}: {summary}", source=source, fact=fact, run=BASE)


def symptom_clear(inquiry: Inquiry) -> local.Watcher:
    """Stops the first run once a NaN has stayed; shows how far it has come meanwhile."""
    first: list[int] = []

    def watch(progress: local.Progress) -> str | None:
        loss = "" if progress.loss is None else f", loss {progress.loss:.4g}"
        inquiry.progress(f"step {progress.steps}{loss}, {progress.seconds:.0f} s")
        if progress.loss is not None and not math.isfinite(progress.loss):
            first.append(progress.steps)
            return "symptom" if progress.steps - first[0] >= AFTER_NAN else None
        first.clear()
        return None

    return watch


def recorded(inquiry: Inquiry, ran: local.Ran, name: str) -> Recording:
    """The run's recording, kept in the case, with the user's own paths."""
    kept = inquiry.case.recordings / name
    shutil.copytree(ran.scratch.recording, kept, dirs_exist_ok=True)
    shutil.copyfile(ran.output, kept / "output.txt")
    return recording.read(kept, lambda p: inquiry.users_path(ran.scratch.users_path(p)))


def put_end(inquiry: Inquiry, ran: local.Ran, record: Recording) -> None:
    steps = len(measure.main_steps(record))
    end = RunEnd(ran.code, ran.signal, steps, round(ran.seconds, 2), record.attached, ran.stopped_by, record.backwards)
    if not record.attached:
        summary = f"the command ended after {ran.seconds:.1f} s and the observer never met torch"
    else:
        how = {"time": "stopped at its time limit", "symptom": "stopped, the symptom is clear"}
        ended = how.get(ran.stopped_by or "", f"ended by {ran.signal}" if ran.signal else f"exit code {ran.code}")
        summary = f"{steps} steps in {ran.seconds:.1f} s, {ended}"
    source = Source(command=" ".join(inquiry.request.command))
    inquiry.ledger.add_evidence("observation", summary, source=source, fact=end, run=BASE)
    if ran.injection_error:
        inquiry.ledger.add_note(f"the observer could not start: {ran.injection_error.strip()}")


def put_output(inquiry: Inquiry, ran: local.Ran) -> None:
    """What the readers find in the program's output; only a run that failed has a crash to read."""
    if ran.code == 0 or ran.stopped_by is not None:
        return
    for one in inquiry.catalogue.readers.values():
        for reading in one.function(lines(ran.output)):
            fact: Fact = map_places(reading.fact, lambda p: inquiry.users_path(ran.scratch.users_path(p)))
            shown = reading.summary
            for copy, original in ran.scratch.renamed:
                shown = shown.replace(copy, original)
            shown = shown.replace(inquiry.request.cwd + "/", "")
            source = Source(file="output.txt", line=reading.line)
            inquiry.ledger.add_evidence("reading", shown, source=source, fact=fact, run=BASE)


def lines(file: Path) -> Iterator[str]:
    """The lines of an output that may hold any bytes."""
    with file.open("r", encoding="utf-8", errors="backslashreplace", newline=None) as handle:
        yield from handle


def source_of(fact: Fact, command: str) -> Source:
    place = getattr(fact, "where", None)
    step = getattr(fact, "step", None) or getattr(fact, "nonfinite_step", None)
    return Source(
        file=place.file if place is not None else None,
        line=place.line if place is not None else None,
        step=step if isinstance(step, int) else None,
        command=command,
    )

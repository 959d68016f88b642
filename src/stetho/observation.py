"""The first, unchanged run: what the observer, the readers and the probes say about it."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Protocol

from stetho import attachment, files, measure, recording
from stetho.artifact import artifact_at
from stetho.attachment import Python, Witness
from stetho.evidence import Source
from stetho.executors.protocol import Progress, Ran, Watcher
from stetho.experiment import Bound
from stetho.facts import Checkpoint, Checkpoints, Crash, Fact, LossCurve, RunEnd
from stetho.inquiry import BASE, Inquiry, map_places, thinned
from stetho.isolation.refusal import explained
from stetho.logged.live import facts_of_output
from stetho.probe import Seen, Target
from stetho.reader import Reading
from stetho.recording import Recording
from stetho.standstill import standstill

# What is said of a run whose end nobody has seen: it still goes on, or stetho was killed.
UNFINISHED = "unfinished"
# Steps to go on after the first NaN: long enough to see that it stays.
AFTER_NAN = 15
# How saved states are named, and how many of a project are looked at.
STATES, MOST_STATES = (".pt", ".pth", ".ckpt", ".bin", ".safetensors"), 40
# How a run ended that did not end by itself.
STOPPED = {
    "time": "stopped at its time limit",
    "memory": "stopped at its memory limit",
    "symptom": "stopped, the symptom is clear",
    "decided": "stopped, its outcome was decided",
    "nan": "stopped at a NaN, as asked",
    "stall": "stopped as it had stalled, as asked",
    "divergence": "stopped as it diverged, as asked",
    "interrupt": "interrupted by the user",
    UNFINISHED: "and how it ended is not known",
}


def observe(inquiry: Inquiry) -> None:
    """Run the command as it is, or with the cures that are carried, in isolation; all it shows is put on record."""
    request = inquiry.request
    command = " ".join(request.command)
    if request.executor == "local":
        probe(inquiry)
    cured = f", with {' and '.join(inquiry.carried.told)}" if inquiry.carried.told else ""
    inquiry.show(f"observing  {command}{cured}")
    with Witness() as witness:
        ran = inquiry.run(Bound(max(5.0, inquiry.remaining() / 3)), symptom_clear(inquiry))
    try:
        record = recorded(inquiry, ran, inquiry.base)
        put_end(inquiry, ran, record, witness.pythons if ran.pythons is None else ran.pythons)
        inquiry.steps += 0 if ran.reused else measure.taken(measure.main_steps(record))
        put_output(inquiry, ran, ran.output, ran.users_path, ran.renamed)
        put_facts(inquiry, record)
        put_saved_states(inquiry)
        put_standstill(inquiry, ran)
        put_printed(inquiry, ran.output)
        if inquiry.base != BASE:
            return
        if ran.reused:
            inquiry.ledger.add_note("the first run was made before and nothing has changed since; --fresh repeats it")
        if ran.node is not None:
            inquiry.ledger.add_note(f"the first run was on {ran.node}; this machine was not probed")
        for note in ran.notes:
            inquiry.ledger.add_note(note)
        put_refusal(inquiry, ran)
    finally:
        ran.discard()


def put_standstill(inquiry: Inquiry, ran: Ran) -> None:
    """That a run which had to be stopped did nothing any more, if it was so."""
    cwd = Path(inquiry.request.cwd)

    def own(file: str) -> str | None:
        path = inquiry.users_path(ran.users_path(file))
        return path if (cwd / path).is_file() and "site-packages" not in path and not Path(path).is_absolute() else None

    found = standstill(inquiry.case.recordings / inquiry.base, own) if ran.stopped_by == "time" else None
    if found is not None:
        fact, told = found
        inquiry.put("observation", told, fact, Source(step=fact.step))


def put_refusal(inquiry: Inquiry, ran: Ran) -> None:
    """Note that isolation itself explains how the run ended, if it does."""
    if ran.code in (0, None) or ran.stopped_by is not None:
        return
    reason = explained(inquiry.fact(Crash), ran.output, inquiry.request.isolation, ran.overlay, ran.renamed)
    if reason is not None:
        inquiry.ledger.add_note(reason)


def probe(inquiry: Inquiry) -> None:
    """What the machine has to give before the run; other probes look at runs that are there already."""
    target = Target(Path(inquiry.request.cwd))
    for one in inquiry.catalogue.probes.values():
        for piece in one.function(target) if one.at_start else ():
            if isinstance(piece, Seen):
                summary, source = f"{one.id}: {piece.summary}", Source(command=piece.read)
                inquiry.put("probe", summary, piece.fact, source)


def symptom_clear(inquiry: Inquiry) -> Watcher:
    """Stops the first run once a NaN has stayed; shows how far it has come meanwhile."""
    first: list[int] = []

    def watch(progress: Progress) -> str | None:
        loss = "" if progress.loss is None else f", loss {progress.loss:.4g}"
        inquiry.progress(f"step {progress.steps}{loss}, {progress.seconds:.0f} s")
        if progress.loss is not None and not math.isfinite(progress.loss):
            first.append(progress.steps)
            return "symptom" if progress.steps - first[0] >= AFTER_NAN else None
        first.clear()
        return None

    return watch


def recorded(inquiry: Inquiry, ran: Ran, name: str) -> Recording:
    """The run's recording, kept in the case, with the user's own paths."""
    kept = inquiry.case.recordings / name
    shutil.copytree(ran.recording, kept, dirs_exist_ok=True)
    shutil.copyfile(ran.output, kept / "output.txt")
    return recording.read(kept, lambda p: inquiry.users_path(ran.users_path(p)))


class Ended(Protocol):
    """How a run came to its end, whoever ran it."""

    @property
    def code(self) -> int | None: ...
    @property
    def signal(self) -> str | None: ...
    @property
    def seconds(self) -> float: ...
    @property
    def stopped_by(self) -> str | None: ...
    @property
    def injection_error(self) -> str | None: ...


def put_facts(inquiry: Inquiry, record: Recording) -> None:
    """Everything that the recording shows, as evidence of the base run."""
    command = " ".join(inquiry.request.command)
    for fact, summary in measure.facts(record):
        kept = thinned(fact) if isinstance(fact, LossCurve) else fact
        inquiry.put("observation", summary, kept, source_of(fact, command))
    known = {kind: fact for kind, (_, fact) in inquiry.facts().items()}
    for fact, summary in files.facts(record, inquiry.request.cwd, known):
        inquiry.put("reading", summary, fact, source_of(fact, command))
    for fault in record.faults:
        inquiry.ledger.add_note(f"the observer switched itself off: {fault}")


def put_end(inquiry: Inquiry, ran: Ended, record: Recording, seen: Sequence[Python] | None = None) -> None:
    """How the run ended, and why no step was recorded if none was; `seen` is what a witness saw from outside."""
    steps = measure.taken(measure.main_steps(record))
    folder, command = inquiry.case.recordings / inquiry.base, inquiry.request.command
    why_not = attachment.why_not(record, folder, command, seen, ran.injection_error)
    end = RunEnd(
        ran.code, ran.signal, steps, round(ran.seconds, 2), record.attached, ran.stopped_by, record.backwards, why_not
    )
    ended = STOPPED.get(ran.stopped_by or "", f"ended by {ran.signal}" if ran.signal else f"exit code {ran.code}")
    summary = f"{steps} steps in {ran.seconds:.1f} s, {ended}{': ' if why_not else ''}{why_not}"
    source = Source(command=" ".join(inquiry.request.command))
    inquiry.put("observation", summary, end, source)
    if ran.injection_error:
        inquiry.ledger.add_note(f"the observer could not start: {ran.injection_error.strip()}")


def put_output(
    inquiry: Inquiry,
    ran: Ended,
    output: Path,
    users_path: Callable[[str], str] = lambda path: path,
    renamed: tuple[tuple[str, str], ...] = (),
) -> None:
    """What the readers find in the program's output; only a run that failed has a crash to read."""
    if ran.code == 0 or ran.stopped_by is not None:
        return
    for reading in inquiry.catalogue.read(artifact_at(output)):
        # How a run ended that was observed is known better than its output tells.
        if isinstance(reading, Reading) and not isinstance(reading.fact, RunEnd):
            fact: Fact = map_places(reading.fact, lambda p: inquiry.users_path(users_path(p)))
            shown = reading.summary
            for copy, original in renamed:
                shown = shown.replace(copy, original)
            shown = shown.replace(inquiry.request.cwd + "/", "")
            source = Source(file="output.txt", line=reading.line)
            inquiry.put("reading", shown, fact, source)


def put_saved_states(inquiry: Inquiry) -> None:
    """Of a run that failed: the saved states of its project, as they lie there; the exception may be about one."""
    if inquiry.fact(Crash) is None or inquiry.request.executor != "local":
        return
    cwd = Path(inquiry.request.cwd)
    found = []
    for path in islice(saved_states(cwd), MOST_STATES):
        for reading in inquiry.catalogue.read(artifact_at(path, path.relative_to(cwd).as_posix())):
            if isinstance(reading, Reading) and isinstance(reading.fact, Checkpoint):
                found.append(replace(reading.fact, file=path.relative_to(cwd).as_posix()))
    broken = [one for one in found if one.broken]
    if broken:
        told = f"{broken[0].file} is {broken[0].state}, one of {len(found)} saved states of the project"
        inquiry.put("reading", told, Checkpoints(tuple(found)), Source(file=broken[0].file))


def saved_states(cwd: Path, *, deep: int = 4) -> Iterator[Path]:
    """Files below a folder that are named like saved states, those of hidden folders left out."""
    for folder, folders, names in os.walk(cwd):
        far = len(Path(folder).relative_to(cwd).parts) >= deep
        folders[:] = [] if far else sorted(f for f in folders if not f.startswith((".", "venv", "node_modules")))
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(STATES))


def put_printed(inquiry: Inquiry, output: Path) -> None:
    """What the program itself printed of how well it does; of a run whose steps are out of sight, that is all."""
    curve, end = inquiry.fact(LossCurve), inquiry.fact(RunEnd)
    if curve is None and (end is None or end.code != 0 or end.backwards or not end.attached):
        return
    for known in facts_of_output(output, inquiry.catalogue, curve):
        inquiry.put("reading", known.words, known.fact, known.source)
    if curve is None and inquiry.fact(LossCurve) is not None:
        inquiry.ledger.add_note("no step was seen: what is said rests on what the program printed")


@dataclass(frozen=True)
class Unseen:
    """The end of a run that nobody was there to see."""

    seconds: float
    code: int | None = None
    signal: str | None = None
    stopped_by: str | None = UNFINISHED
    injection_error: str | None = None


def read_what_is_there(inquiry: Inquiry) -> bool:
    """Take the facts of a real run that is not over yet, or whose stetho was killed, from its recording."""
    end, folder = inquiry.fact(RunEnd), inquiry.case.recordings / BASE
    if not folder.is_dir() or (end is not None and end.stopped_by != UNFINISHED):
        return False
    record = recording.read(folder, inquiry.users_path)
    written = [file.stat().st_mtime for file in folder.glob("*.jsonl")]
    put_end(inquiry, Unseen(max(0.0, max(written, default=0.0) - inquiry.request.created)), record)
    put_facts(inquiry, record)
    return True


def source_of(fact: Fact, command: str) -> Source:
    place = getattr(fact, "where", None)
    step = getattr(fact, "step", None) or getattr(fact, "nonfinite_step", None)
    return Source(
        file=place.file if place is not None else None,
        line=place.line if place is not None else None,
        step=step if isinstance(step, int) else None,
        command=command,
    )

"""What a dead run left behind, put into a case: what the readers found, its curves, and how it ended."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from stetho.case import Request, new_case
from stetho.catalogue import Catalogue, load
from stetho.conclusion import verdict
from stetho.errors import BadRequest
from stetho.evidence import Json, Source
from stetho.facts import Checkpoint, Checkpoints, Crash, Metrics, RunEnd, Statements
from stetho.here import PASTED, ask
from stetho.inquiry import BASE, Inquiry
from stetho.logged.ending import LINES_AFTER_THE_END, Told, ending
from stetho.logged.known import Known
from stetho.logged.learning import all_facts, settings_in
from stetho.logged.parts import KERNEL, about_this_run, continued_by, outlived_parts
from stetho.logged.plan import with_plan
from stetho.logged.runs import Run, runs_in
from stetho.logged.speed import rank_times, with_slowest_rank, with_words
from stetho.logged.standing import alone, standing
from stetho.logged.walk import read_all
from stetho.reader import Flaw, Reading
from stetho.several import RunVerdict, SeveralRuns, settings_of

MOST_FLAWS, MOST_CHECKPOINTS = 20, 100
# A checkpoint below this share of the others beside it is smaller than they are.
SMALLER = 0.9


@contextmanager
def opened(target: str) -> Iterator[tuple[Path, str]]:
    """Where a target lies and what it is called: a file, a directory, or what comes on standard input."""
    if target == "-":
        with tempfile.TemporaryDirectory(prefix="stetho-") as folder:
            file = Path(folder) / "pasted"
            with file.open("wb") as handle:
                while part := sys.stdin.buffer.read(1 << 20):
                    handle.write(part)
            yield file, PASTED
        return
    path = Path(target)
    if not path.exists():
        raise BadRequest(
            f"there is no file or directory '{target}'. A command to run goes after --: stetho why -- {target} …"
        )
    if not os.access(path, os.R_OK):
        raise BadRequest(f"'{target}' cannot be read: permission denied")
    yield path, target


def runs_of(target: str, catalogue: Catalogue, progress: Callable[[str], None]) -> list[Run]:
    """Everything that is known of the runs a target holds."""
    with opened(target) as (path, name):
        left = read_all(path, catalogue, progress)
        if name == PASTED:
            left = [replace(one, artifact=replace(one.artifact, name=PASTED)) for one in left]
        if not left:
            raise BadRequest(f"'{target}' holds nothing that a reader knows")
        return runs_in(path if path.is_dir() else path.parent, left)


def put(inquiry: Inquiry, run: Run) -> None:
    """Everything that is known of a run, as evidence; of facts of one kind, the last one counts."""
    told = with_plan(in_order(run), settings_in(run), [series for _, series in run.series])
    for one in told:
        summary = f"{one.artifact.name}: {one.reading.summary}"
        if not isinstance(one.reading.fact, RunEnd) and not alone(one.reading.fact):
            inquiry.ledger.add_evidence("reading", summary, source=one.source, fact=one.reading.fact, run=BASE)
    known = [*all_facts(run.series, settings_in(run), resumed_at(told)), *rank_times(run.apart)]
    said = [one.reading.fact for one in told if isinstance(one.reading.fact, Statements)]
    known = with_words(with_slowest_rank(known), said)
    metrics = next((k.fact for k in known if isinstance(k.fact, Metrics)), None)
    end = ending(told, metrics)
    stood = standing(told, (series for _, series in run.series))
    ended = end.fact if end is not None and isinstance(end.fact, RunEnd) else None
    here = ask(inquiry.catalogue, told, [series for _, series in run.series], ended)
    for note in here.notes:
        inquiry.ledger.add_note(note)
    for fact in (*joined(told), *known, *stood, *([end] if end is not None else []), *here.facts):
        inquiry.ledger.add_evidence("reading", fact.words, source=fact.source, fact=fact.fact, run=BASE)
    flaws = [(left.artifact.name, piece) for left in run.left for piece in left.pieces if isinstance(piece, Flaw)]
    for name, flaw in flaws[:MOST_FLAWS]:
        inquiry.ledger.add_note(f"{name}: {flaw.summary}")
    if end is None:
        names = ", ".join(left.artifact.name for left in run.left[:3]) or "nothing"
        inquiry.ledger.add_note(f"read {names}: nothing in it says how a run went, which says nothing about health")


def resumed_at(told: list[Told]) -> dict[str, list[int]]:
    """The lines at which each log says that it goes on from a checkpoint."""
    found: dict[str, list[int]] = {}
    for one in told:
        for said in one.reading.fact.of("resumed") if isinstance(one.reading.fact, Statements) else ():
            lines = found.setdefault(one.artifact.name, [])
            lines += [line for line in (said.line, said.last_line) if line is not None]
    return found


def in_order(run: Run) -> list[Told]:
    """The readings from the oldest artifact to the newest; what the run outlived, and a kernel's word, count least."""
    after = continued_by(run.left)
    places = sorted(range(len(run.left)), key=lambda at: (-after[at], run.left[at].artifact.modified))
    artifacts = sorted((run.left[at] for at in places), key=lambda left: left.reader != KERNEL)
    told = [Told(left.artifact, p) for left in artifacts for p in left.pieces if isinstance(p, Reading)]
    told = about_this_run(run.left, outlived_parts(run.left, told))
    return sorted(told, key=lambda one: not outlived(one))


def outlived(told: Told) -> bool:
    fact = told.reading.fact
    return isinstance(fact, Crash) and fact.lines_after > LINES_AFTER_THE_END


def joined(told: list[Told]) -> Iterator[Known]:
    """Facts that several artifacts have a part of: what all logs say, and all checkpoints."""
    said = [one for one in told if isinstance(one.reading.fact, Statements)]
    if len(said) > 1:
        statements = [s for one in said if isinstance(one.reading.fact, Statements) for s in one.reading.fact.said]
        words = "; ".join(f"{one.artifact.name}: {one.reading.summary}" for one in said)
        yield Known(Statements(tuple(statements)), words[:2000], said[-1].source)
    saved = [one.reading.fact for one in told if isinstance(one.reading.fact, Checkpoint)]
    if saved:
        saved.sort(key=lambda one: one.modified)
        broken = [one for one in saved if one.state != "whole"]
        words = f"{len(saved)} checkpoints" + "".join(f", {one.file} is {one.state}" for one in broken[:3])
        yield Known(Checkpoints(tuple(saved[-MOST_CHECKPOINTS:]), tuple(smaller(saved))), words, Source())


def smaller(saved: list[Checkpoint]) -> Iterator[str]:
    """Checkpoints that are clearly smaller than two or more others of their kind in the same folder."""
    for one in saved:
        beside = [o.size for o in saved if o is not one and kind_of(o) == kind_of(one)]
        if len(beside) >= 2 and max(beside) - min(beside) < 0.01 * max(beside) and one.size < SMALLER * min(beside):
            yield one.file


def kind_of(one: Checkpoint) -> tuple[str, str, int | None]:
    return one.format, os.path.dirname(one.file), one.tensors


def judge(
    root: Path, request: Request, target: str, *, progress: Callable[[str], None] = lambda line: None
) -> SeveralRuns:
    """A verdict for each run that a target holds; nothing is run, and what is read is text, whatever it says."""
    catalogue = load()
    found = []
    for run in runs_of(target, catalogue, progress):
        case = new_case(root, replace(request, command=(), experiments=False))
        with case.open_ledger() as ledger:
            inquiry = Inquiry(case, ledger, request, catalogue, lambda line: None, progress)
            put(inquiry, run)
            place: dict[str, Json] = {"path": target, **({"run": run.name} if run.name else {})}
            result = replace(verdict(inquiry), target=place)
            ledger.add_verdict(result)
        found.append(RunVerdict(run.name, result, settings_of(run)))
    return SeveralRuns(target, tuple(found))

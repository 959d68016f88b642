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
from stetho.facts import Checkpoint, Checkpoints, Crash, LossScale, Metrics, RunEnd, Statements
from stetho.inquiry import BASE, Inquiry
from stetho.logged.assembly import Known, facts_of
from stetho.logged.ending import LINES_AFTER_THE_END, Told, ending
from stetho.logged.runs import Run, runs_in
from stetho.logged.said import Beside, with_what_is_said
from stetho.logged.stability import configurations, losses_of_ranks, scale_of_loss
from stetho.logged.walk import read_all
from stetho.reader import Flaw, Reading
from stetho.several import RunVerdict, SeveralRuns, settings_of

MOST_FLAWS, MOST_CHECKPOINTS = 20, 100
PASTED = "standard input"
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
    told = in_order(run)
    together = [*joined(told), *configurations(told), *losses_of_ranks(run.by_rank)]
    checkpoints = next((k.fact for k in together if isinstance(k.fact, Checkpoints)), None)
    curves = list(facts_of(run.series))
    metrics = next((k.fact for k in curves if isinstance(k.fact, Metrics)), None)
    scales = list(scale_of_loss(metrics, told))
    scale = next((k.fact for k in scales if isinstance(k.fact, LossScale)), None)
    known = [*with_what_is_said(Beside(curves, told, checkpoints, scale)), *scales]
    end = ending(told, metrics)
    failed = end is not None and isinstance(end.fact, RunEnd) and bool(end.fact.code or end.fact.signal)
    for one in told:
        summary = f"{one.artifact.name}: {one.reading.summary}"
        # What a program outlived did not end it.
        fact = None if outlived(one) and not failed else one.reading.fact
        if not isinstance(fact, RunEnd):
            inquiry.ledger.add_evidence("reading", summary, source=one.source, fact=fact, run=BASE)
    for fresh in (*together, *known, *([end] if end is not None else [])):
        inquiry.ledger.add_evidence("reading", fresh.words, source=fresh.source, fact=fresh.fact, run=BASE)
    flaws = [(left.artifact.name, piece) for left in run.left for piece in left.pieces if isinstance(piece, Flaw)]
    for name, flaw in flaws[:MOST_FLAWS]:
        inquiry.ledger.add_note(f"{name}: {flaw.summary}")
    if end is None:
        names = ", ".join(left.artifact.name for left in run.left[:3]) or "nothing"
        inquiry.ledger.add_note(f"read {names}: nothing in it says how a run went, which says nothing about health")


def in_order(run: Run) -> list[Told]:
    """The readings from the oldest artifact to the newest; an exception that a program outlived counts least."""
    artifacts = sorted(run.left, key=lambda left: left.artifact.modified)
    told = [Told(left.artifact, p) for left in artifacts for p in left.pieces if isinstance(p, Reading)]
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

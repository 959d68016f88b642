"""What a dead run left behind, put into a case: what the readers found, its curves, and how it ended."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from stetho.artifact import PASTED
from stetho.bundles import reading as bundles
from stetho.case import Request, new_case
from stetho.catalogue import Catalogue, load
from stetho.conclusion import verdict
from stetho.errors import BadRequest
from stetho.evidence import Json
from stetho.facts import RunEnd
from stetho.inquiry import BASE, Inquiry
from stetho.logged.account import account
from stetho.logged.runs import Run, runs_in
from stetho.logged.walk import read_all
from stetho.reader import Flaw
from stetho.several import RunVerdict, SeveralRuns, settings_of

MOST_FLAWS = 20


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
        if bundles.is_bundle(path):
            progress(f"reading {name}")
            return bundles.read(path).runs
        left = read_all(path, catalogue, progress)
        if name == PASTED:
            left = [replace(one, artifact=replace(one.artifact, name=PASTED)) for one in left]
        if not left and bundles.is_packed(path):
            raise BadRequest(f"'{target}' is an archive, and no bundle of stetho's; unpack it and give its folder")
        if not left:
            raise BadRequest(f"'{target}' holds nothing that a reader knows")
        return runs_in(path if path.is_dir() else path.parent, left)


def put(inquiry: Inquiry, run: Run) -> None:
    """Everything that is known of a run, as evidence; of facts of one kind, the last one counts."""
    known = account(run)
    for one in known:
        inquiry.ledger.add_evidence("reading", one.words, source=one.source, fact=one.fact, run=BASE)
    flaws = [(left.artifact.name, piece) for left in run.left for piece in left.pieces if isinstance(piece, Flaw)]
    for name, flaw in flaws[:MOST_FLAWS]:
        inquiry.ledger.add_note(f"{name}: {flaw.summary}")
    if not any(isinstance(one.fact, RunEnd) for one in known):
        names = ", ".join(left.artifact.name for left in run.left[:3]) or "nothing"
        inquiry.ledger.add_note(f"read {names}: nothing in it says how a run went, which says nothing about health")


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

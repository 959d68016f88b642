"""What a dead run left behind, put into a case: what the readers found, its curves, and how it ended."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from stetho.artifact import PASTED, artifact_at
from stetho.bundles import reading as bundles
from stetho.case import Request, new_case
from stetho.catalogue import Catalogue, load
from stetho.conclusion import verdict
from stetho.errors import BadRequest
from stetho.evidence import Json
from stetho.facts import RunEnd
from stetho.here import known_here
from stetho.inquiry import BASE, Inquiry
from stetho.logged.runs import Run, runs_in
from stetho.logged.walk import Left, read_all
from stetho.reader import Flaw
from stetho.several import RunVerdict, SeveralRuns, settings_of

MOST_FLAWS = 20
# What is left free of the disk that standard input is kept on.
RESERVE = 1 << 30
# How gzip, bzip2, xz and Zstandard begin.
PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")


@contextmanager
def opened(target: str) -> Iterator[tuple[Path, str]]:
    """Where a target lies and what it is called: a file, a directory, or what comes on standard input."""
    if target == "-":
        with tempfile.TemporaryDirectory(prefix="stetho-") as folder:
            file = Path(folder) / "pasted"
            with file.open("wb") as handle:
                while part := sys.stdin.buffer.read(1 << 20):
                    if shutil.disk_usage(folder).free < RESERVE:
                        raise BadRequest(
                            f"standard input fills the disk of {folder}; give it as a file: stetho why FILE"
                        )
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
        if not any(one.reader for one in left):
            raise BadRequest(nothing_in(path, name, left))
        return runs_in(path if path.is_dir() else path.parent, left)


def nothing_in(path: Path, name: str, left: Sequence[Left]) -> str:
    """Why nothing was read, and what to give instead."""
    if left:
        closed = next(flaw.summary for one in left for flaw in one.pieces if isinstance(flaw, Flaw))
        return f"'{name}' holds nothing that could be read; {left[0].artifact.name} {closed}"
    alone = artifact_at(path)
    if alone is not None and alone.head.startswith(PACKED):
        return f"'{name}' is packed, and no bundle of stetho's; unpack it and give what is in it"
    if path.is_dir():
        empty = not any(path.iterdir())
        return f"'{name}' is an empty directory" if empty else f"'{name}' holds nothing that a reader knows"
    return f"'{name}' is empty" if not path.stat().st_size else f"'{name}' is nothing that a reader knows"


def put(inquiry: Inquiry, run: Run) -> None:
    """Everything that is known of a run, as evidence; of facts of one kind, the last one counts."""
    known = known_here(inquiry.catalogue, run)
    for one in known.facts:
        inquiry.ledger.add_evidence("reading", one.words, source=one.source, fact=one.fact, run=BASE)
    for note in known.notes:
        inquiry.ledger.add_note(note)
    flaws = [(left.artifact.name, piece) for left in run.left for piece in left.pieces if isinstance(piece, Flaw)]
    for name, flaw in flaws[:MOST_FLAWS]:
        inquiry.ledger.add_note(f"{name}: {flaw.summary}")
    if not any(isinstance(one.fact, RunEnd) for one in known.facts):
        names = ", ".join(left.artifact.name for left in run.left[:3]) or "nothing"
        more = f" and {len(run.left) - 3} more" if len(run.left) > 3 else ""
        inquiry.ledger.add_note(
            f"read {names}{more}: nothing there says how a run went, which says nothing about health"
        )


# Numbers in a log may be anything; what overflows is no number, and no warning of numpy's tells anybody more.
@np.errstate(all="ignore")
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

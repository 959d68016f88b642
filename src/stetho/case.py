"""The store of cases: one numbered folder for each investigation, with its ledger and its recordings."""

from __future__ import annotations

import difflib
import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path, PurePath

from stetho.errors import LedgerError, StethoError, UnknownName
from stetho.experiment import ExecutorName, Isolation, Limits
from stetho.ledger import Ledger

LEDGER = "ledger.sqlite"
RECORDINGS = "recordings"
CASE_ID = re.compile(r"([0-9]{4,})-[a-z0-9-]+")
TAKEN = re.compile(r"([0-9]{4,})(-[a-z0-9-]+)?")
SCRIPTS = {".py", ".sh", ".bash"}


@dataclass(frozen=True)
class Request:
    """What the user asked for: the command, where it runs, and how much may be spent on it."""

    command: tuple[str, ...]
    cwd: str
    seed: int | None
    """For what the program leaves unseeded; None for a run that was real and got none."""
    budget: float
    """Seconds."""
    symptom: str | None
    experiments: bool
    created: float
    """Seconds since the epoch."""
    isolation: Isolation = field(default_factory=Isolation)
    limits: Limits = field(default_factory=Limits)
    """What any single run may take."""
    executor: ExecutorName = "local"
    suspect: str | None = None
    """The cause that is to be put to the test; None asks for whichever it is."""
    good: str | None = None
    """A run that was fine, to compare with: a case, commit, folder, file or command line; None compares with none."""
    all_causes: bool = False
    """Whether to go on with the cure applied once a cause is established, until nothing more can be claimed."""
    verb: str = "why"
    """What was asked: why, or try, whose ideas are not kept."""


@dataclass(frozen=True)
class Case:
    """One investigation on disk."""

    id: str
    path: Path

    @property
    def ledger_path(self) -> Path:
        return self.path / LEDGER

    @property
    def recordings(self) -> Path:
        return self.path / RECORDINGS

    def open_ledger(self, read_only: bool = False) -> Ledger:
        """The case's record; read-only for whoever only looks, as the investigation may still be running."""
        return Ledger.open(self.ledger_path, read_only)


@dataclass(frozen=True)
class CaseSummary:
    """One line of the list of cases."""

    id: str
    created: float | None = None
    command: tuple[str, ...] = ()
    status: str = "unreadable"
    """The newest verdict's status; `tried` for what stetho try has finished, `unfinished` before there is either,
    `unreadable` for a broken case."""
    cause: str | None = None
    evidence: int = 0


def new_case(root: Path, request: Request) -> Case:
    """A new case under its own number, with the request in its ledger; it appears whole or not at all."""
    try:
        return _filed(root.absolute(), request)
    except OSError as error:
        raise LedgerError(f"a case cannot be made in {root}: {error}") from error


def open_case(root: Path, name: str) -> Case:
    """The case with that id, number, unique start of an id or folder; `last` is the newest."""
    cases = {path.name: path for path in _case_paths(root)}
    matches = [id for id in cases if name and id.startswith(name)]
    if name == "last":
        matches = list(cases)[-1:]
    elif name in cases:
        matches = [name]
    elif re.fullmatch("[0-9]+", name):
        matches = [id for id in cases if _number(id) == int(name)] or matches
    if len(matches) == 1:
        return Case(matches[0], cases[matches[0]])
    if name and os.path.isfile(os.path.join(name, LEDGER)):
        path = Path(name).resolve()
        return Case(path.name, path)
    raise UnknownName("case", name, matches[-3:] or _near(name, list(cases)))


def list_cases(root: Path) -> list[CaseSummary]:
    """All cases, oldest first; one that cannot be read is listed as such and hides no other."""
    return [_summary(Case(path.name, path)) for path in _case_paths(root)]


def writable_root(wanted: Path) -> tuple[Path, str | None]:
    """A root that takes new cases, and a sentence for the user when it is not the one that was wanted."""
    reason = _refusal(wanted)
    if reason is None:
        return wanted, None
    for root in _fallbacks():
        if _refusal(root) is None:
            return root, f"{wanted} cannot be written ({reason}), so the case is kept in {root}."
    raise LedgerError(f"{wanted} cannot be written ({reason}), and no other place for the case was found")


def _filed(root: Path, request: Request) -> Case:
    """Fill a folder that is named by its number alone, then give it its full name."""
    _make_root(root)
    reserved = _reserve(root)
    try:
        (reserved / RECORDINGS).mkdir()
        with Ledger.create(reserved / LEDGER) as ledger:
            ledger.add_request(request)
        return _named(reserved, f"{reserved.name}-{_stem(request.command)}")
    except BaseException:
        shutil.rmtree(reserved, ignore_errors=True)
        raise


def _named(reserved: Path, id: str) -> Case:
    return Case(id, reserved.rename(reserved.with_name(id)))


def _reserve(root: Path) -> Path:
    """A folder with a number of our own: mkdir is exclusive, and a number already filed is given back."""
    number = max(_numbers(root), default=0) + 1
    while True:
        reserved = root / f"{number:04d}"
        try:
            reserved.mkdir()
        except FileExistsError:
            number += 1
            continue
        # Another process may have reserved, filled and renamed this number since the numbers were read.
        if list(_numbers(root)).count(number) == 1:
            return reserved
        reserved.rmdir()
        number += 1


def _make_root(root: Path) -> None:
    """Make the root and hide it from git; a folder that was there before may hold the user's own files."""
    try:
        root.mkdir(parents=True)
    except FileExistsError:
        if not root.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(root)) from None
    else:
        (root / ".gitignore").write_text("*\n", encoding="utf-8")


def _refusal(root: Path) -> str | None:
    """Why no case can be kept there. It is tried, because permission bits do not tell of read-only mounts."""
    try:
        _make_root(root)
        with tempfile.TemporaryFile(dir=root):
            return None
    except OSError as error:
        return error.strerror or str(error)


def _fallbacks() -> Iterator[Path]:
    states = (os.environ.get("XDG_STATE_HOME", ""), os.path.expanduser("~/.local/state"))
    yield from (Path(state) / "stetho" for state in states if os.path.isabs(state))
    try:
        yield Path(tempfile.mkdtemp(prefix="stetho-"))
    except OSError:
        return


def _numbers(root: Path) -> Iterator[int]:
    for name in os.listdir(root):
        if match := TAKEN.fullmatch(name):
            yield int(match[1])


def _number(id: str) -> int:
    return int(id.partition("-")[0])


def _case_paths(root: Path) -> list[Path]:
    try:
        names = os.listdir(root)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LedgerError(f"the cases in {root} cannot be read: {error.strerror}") from error
    ids = sorted((name for name in names if CASE_ID.fullmatch(name)), key=lambda id: (_number(id), id))
    return [root.absolute() / id for id in ids]


def _summary(case: Case) -> CaseSummary:
    try:
        with case.open_ledger(read_only=True) as ledger:
            request, verdict, evidence = ledger.request(), ledger.verdict(), len(ledger.evidence())
            tried = bool(request is not None and request.verb == "try" and ledger.experiments())
        created, command = (request.created, tuple(map(str, request.command))) if request else (None, ())
        if verdict is None:
            return CaseSummary(case.id, created, command, "tried" if tried else "unfinished", None, evidence)
        cause = verdict.claim.cause if verdict.claim else None
        if cause is None and verdict.hypotheses:
            cause = verdict.hypotheses[0].cause
        return CaseSummary(case.id, created, command, verdict.status, cause, evidence)
    except (StethoError, OSError, TypeError, AttributeError):  # the last two: a record of the wrong shape
        return CaseSummary(case.id)


def _near(name: str, ids: list[str]) -> list[str]:
    """Ids that are spelled like it, with or without their number."""
    by_stem = {id.partition("-")[2]: id for id in ids}
    close = difflib.get_close_matches(name, [*ids, *by_stem], cutoff=0.5)
    return list(dict.fromkeys(by_stem.get(match, match) for match in close))


def _stem(command: tuple[str, ...]) -> str:
    """The word a person would call this command by: its script, else its module, else its program."""
    scripts = [PurePath(word).stem for word in command if PurePath(word).suffix in SCRIPTS]
    modules = [word.rpartition(".")[2] for flag, word in pairwise(command) if flag == "-m"]
    programs = [PurePath(word).stem for word in command[:1]]
    word = next(iter(scripts + modules + programs), "")
    return re.sub("[^a-z0-9]+", "-", word.lower())[:40].strip("-") or "run"

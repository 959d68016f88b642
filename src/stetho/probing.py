"""A look at a run from outside: every probe at once, each within its time, then the checks on what they saw."""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from stetho import codec, relatives
from stetho.catalogue import Catalogue
from stetho.check import judge_each
from stetho.cutoff import Answer, Job, run_all
from stetho.errors import BadRequest
from stetho.evidence import Evidence, Json, Source
from stetho.facts import Fact
from stetho.probe import Piece, Probe, Seen, Target, Unknown
from stetho.redaction import redact
from stetho.verdict import Noted

SCHEMA = "stetho.probe/1"
# Seconds for everything, and of these for finding out which processes belong to the run, which must come first.
TOGETHER, FINDING = 2.9, 0.8
# Seconds for following the links of the folder's path.
FOLLOWING = 0.4
# What is read first; probes of other packages come last.
ORDER = (
    "processes", "hung-process", "log-tail", "checkpoints", "kernel", "limits", "gpus", "disk", "packages", "scheduler",
    "machine",
)  # fmt: skip


def place_of(probe: str) -> int:
    """The place of a probe in reading order."""
    return ORDER.index(probe) if probe in ORDER else len(ORDER)


@dataclass(frozen=True)
class Sight:
    """A piece of evidence, with the further lines that people read."""

    evidence: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """What one probe saw, what it could not see, and how long it took."""

    probe: str
    seconds: float
    seen: tuple[Sight, ...] = ()
    unknown: tuple[Unknown, ...] = ()


@dataclass(frozen=True)
class Report:
    """Everything that the probes say about a run; the document that `stetho probe --json` prints."""

    schema: str
    folder: str
    pid: int | None
    family: tuple[int, ...]
    """The processes that belong to the run, the likely trainer first."""
    at: float
    """When it was looked at, in seconds since 1970."""
    seconds: float
    sections: tuple[Section, ...]
    evidence: tuple[Evidence, ...]
    findings: tuple[Noted, ...]
    """The checks that fired: what is worth a look."""


def look(
    catalogue: Catalogue, folder: Path | None = None, pid: int | None = None, python: Path | None = None
) -> Report:
    """Probe a run's folder, a process, or both."""
    begun, at = time.monotonic(), time.time()
    target, gaps = _aimed(folder, pid, python)
    left = TOGETHER - (time.monotonic() - begun)
    chosen = sorted(catalogue.probes.values(), key=lambda one: place_of(one.id))
    probes = {one.id: bounded(one, left, target) for one in chosen}
    answers = run_all({name: Job(partial(pieces_of, one, target), one.limit) for name, one in probes.items()})
    evidence: list[Evidence] = []
    facts: dict[type[Fact], tuple[str, Fact]] = {}
    sections = [_section(one, answers[name], evidence, facts) for name, one in probes.items()]
    fired = [one for one in judge_each(catalogue.checks.values(), facts) if one.outcome == "fired"]
    findings = tuple(Noted(one.check, f.message, f.where, one.cites) for one in fired for f in one.findings)
    seconds = round(time.monotonic() - begun, 3)
    return Report(
        SCHEMA, str(target.folder), pid, target.family, at, seconds, (*sections, *gaps), tuple(evidence), findings
    )


def _aimed(folder: Path | None, pid: int | None, python: Path | None) -> tuple[Target, list[Section]]:
    """What is to be looked at, found out within its time, and what could not be found out."""
    gaps: list[Section] = []

    def miss(probe: str, answer: Answer, *gap: str) -> None:
        gaps.append(Section(probe, round(answer.seconds, 3), unknown=(Unknown(*gap),)))

    named = relatives.cwd_of(pid) if folder is None and pid is not None else ""
    # A path that is on a dead disk must not be touched by this process, so that it is made by words only.
    path = os.path.abspath(folder or named or ".")
    followed = run_all({"folder": Job(partial(os.path.realpath, path), FOLLOWING)})["folder"]
    if followed.cut_off:
        miss("disk", followed, "folder", "it does not answer, as on a dead network disk", f"findmnt -T {path}", path)
    elif folder is None and pid is not None and not named:
        why = "the process is gone or another user's; this directory was looked at instead"
        miss("disk", followed, f"folder of pid {pid}", why, f"stetho probe DIR --pid {pid}", f"/proc/{pid}/cwd")
    real = followed.value if isinstance(followed.value, str) else path
    target = Target(Path(real), pid, python=python, reachable=not followed.cut_off)
    found = run_all({"find": Job(partial(_find, target), FINDING)})["find"]
    if found.cut_off or found.error is not None:
        why = redact(found.error or f"the list of processes could not be gone through within {FINDING:g} s")
        miss("processes", found, "processes of the run", why, "ps aux; then stetho probe --pid N", "/proc/*")
    family = found.value if isinstance(found.value, list) else []
    return replace(target, family=tuple(one for one in family if isinstance(one, int))), gaps


def bounded(one: Probe, seconds: float, target: Target) -> Probe:
    """A probe for one target: no longer than there is time, and with what to run instead filled in."""
    known = {"DIR": shlex.quote(str(target.folder)), "PID": str(target.trainer or "PID")}
    instead = re.sub(r"\b(?:DIR|PID)\b", lambda match: known[match[0]], one.instead)
    return replace(one, limit=round(min(one.limit, seconds), 2), instead=instead)


def _find(target: Target) -> Json:
    return list(relatives.find(target.folder, target.pid))


def pieces_of(one: Probe, target: Target) -> Json:
    """What a probe says, as JSON, every text without its secrets."""
    return _redacted([_encoded(piece) for piece in one.function(target)])


def _encoded(piece: Piece) -> Json:
    encoded = codec.encode(piece)
    return {"fact": piece.fact.fact if isinstance(piece, Seen) else None, "piece": encoded}


def _redacted(value: Json) -> Json:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [_redacted(one) for one in value]
    if isinstance(value, dict):
        return {key: _redacted(one) for key, one in value.items()}
    return value


def decoded(one: Probe, value: Json) -> list[Piece]:
    """The pieces back from JSON; only facts that the probe has declared are taken."""
    kinds: Mapping[str, type[Fact]] = {kind.fact: kind for kind in one.gives}
    found: list[Piece] = []
    for entry in value if isinstance(value, list) else ():
        assert isinstance(entry, dict)
        name, body = entry["fact"], entry["piece"]
        if name is None:
            found.append(codec.decode(Unknown, body))
        else:
            assert isinstance(body, dict) and isinstance(name, str)
            fact: Any = codec.decode(kinds[name], body["fact"])
            details = body["details"] if isinstance(body["details"], list) else []
            found.append(Seen(fact, str(body["summary"]), str(body["read"]), tuple(map(str, details))))
    return found


def _section(
    one: Probe, answer: Answer, evidence: list[Evidence], facts: dict[type[Fact], tuple[str, Fact]]
) -> Section:
    """File what a probe saw as evidence."""
    if answer.cut_off or answer.error is not None:
        why = f"it did not answer within {one.limit:g} s and was cut off"
        if answer.error is not None:
            why = f"the probe failed: {redact(answer.error)}"
        missing = Unknown(one.id, why, one.instead, one.reads)
        return Section(one.id, round(answer.seconds, 3), unknown=(missing,))
    pieces = decoded(one, answer.value)
    seen = []
    for piece in pieces:
        if isinstance(piece, Seen):
            id = f"E{len(evidence) + 1}"
            source, data = Source(command=piece.read), codec.encode(piece.fact)
            evidence.append(Evidence(id, "probe", piece.summary, source, piece.fact.fact, None, data))
            facts.setdefault(type(piece.fact), (id, piece.fact))
            seen.append(Sight(id, piece.details))
    unknown = tuple(piece for piece in pieces if isinstance(piece, Unknown))
    return Section(one.id, round(answer.seconds, 3), tuple(seen), unknown)


def refuse_bad(folder: str | None, pid: int | None, python: str | None = None) -> None:
    """A request that cannot be meant, told before anything is looked at; a path that hangs is none."""
    if pid is not None and not 1 <= pid < 1 << 22:
        raise BadRequest(f"--pid {pid}: there is no process of that number")
    asked = {path: Job(partial(_kind, path), FINDING) for path in (folder, python) if path is not None}
    kinds = {path: answer.value for path, answer in run_all(asked).items()}
    if folder is not None and kinds[folder] == "missing":
        raise BadRequest(f"there is no directory '{folder}'")
    if folder is not None and kinds[folder] == "file":
        raise BadRequest(f"'{folder}' is a file; give the run's directory")
    if python is not None and kinds[python] == "missing":
        raise BadRequest(f"--python {python}: there is no such interpreter or environment")


def kind_of(path: str) -> Json:
    """Whether a path is a folder, a file or missing; None where that hangs."""
    return run_all({path: Job(partial(_kind, path), FINDING)})[path].value


def _kind(folder: str) -> Json:
    return "folder" if os.path.isdir(folder) else "file" if os.path.exists(folder) else "missing"


def unknowns(report: Report) -> Iterable[tuple[str, Unknown]]:
    """What could not be seen, with the probe that should have seen it."""
    return ((section.probe, one) for section in report.sections for one in section.unknown)

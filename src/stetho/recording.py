"""What the observer wrote, read back line by line: one frozen record of one process of a run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stetho.events import Step, block, complete, number, single
from stetho.evidence import Place

__all__ = ["Event", "Recording", "Step", "number", "read", "read_process", "read_ranks"]

Paths = Callable[[str], str]

NAME = re.compile(r"r(\d+)-(\d+)(?:\.(\d+))?\.jsonl")
# What a block says of all its steps together.
WHOLE = ("o", "i", "n", "every", "t", "wall", "rss", "peak", "gpu")


@dataclass(frozen=True)
class Event:
    """Any other line of the recording."""

    kind: str
    body: dict[str, Any]


@dataclass(frozen=True)
class Applied:
    """What a change has to show for itself: how often it was made, and how often its effect was seen."""

    count: int = 0
    verified: int = 0
    refused: tuple[str, ...] = ()
    """Why it could not be made, where it could not."""
    contradicted: tuple[str, ...] = ()
    """Why it has not had its effect although it was made."""
    alters: str = ""
    """What it was seen to make another quantity in this program, as an intervention may declare it for all."""


@dataclass(frozen=True)
class Recording:
    """One process's record. `places` gives the user's frames of a call site, innermost first."""

    steps: tuple[Step, ...] = ()
    events: tuple[Event, ...] = ()
    sites: dict[int, tuple[Place, ...]] = field(default_factory=dict)
    attached: bool = False
    applied: Applied = field(default_factory=Applied)
    faults: tuple[str, ...] = ()
    processes: int = 0
    rank: int = 0
    segments: int = 0
    """The files that this process's record is kept in."""
    ranks: dict[int, Recording] = field(default_factory=dict)
    """The training process of each rank, this one among them; empty when one rank trained alone."""

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [e.body for e in self.events if e.kind == kind]

    def places(self, site: object) -> tuple[Place, ...]:
        return self.sites.get(site, ()) if isinstance(site, int) else ()

    def place(self, site: object) -> Place | None:
        places = self.places(site)
        return places[0] if places else None

    @property
    def backwards(self) -> int:
        return len(self.of("backward")) + len(self.steps)

    @property
    def tells_absence(self) -> bool:
        """Whether what is not in it did not happen; earlier observers knew fewer events."""
        return any(e.kind == "run" for e in self.events)


class _Reading:
    """What has been read of one process so far."""

    def __init__(self, users_path: Paths) -> None:
        self.users_path = users_path
        self.steps: list[Step] = []
        self.events: list[Event] = []
        self.sites: dict[int, tuple[Place, ...]] = {}
        self.changes: dict[tuple[int, int], float | None] = {}
        self.applied = Applied()

    def take(self, kind: str, body: dict[str, Any]) -> None:
        """Put one line where it belongs; events that nobody here knows are kept as they are."""
        if not complete(kind, body):
            return
        if kind == "steps":
            self.steps.extend(block(body))
            self.events.append(Event(kind, {key: body[key] for key in WHOLE if key in body}))
        elif kind == "step":
            self.steps.append(single(body))
        elif kind == "site":
            frames = body["frames"]
            self.sites[int(body["id"])] = tuple(Place(self.users_path(f[0]), int(f[1]), key=f[2]) for f in frames)
        elif kind != "applied":
            if kind == "sample":
                self.changes[int(body["o"]), int(body["i"])] = number(body.get("ur"))
            self.events.append(Event(kind, _with_users_paths(kind, body, self.users_path)))
        if kind == "applied":
            refused, contradicted = (tuple(map(str, body.get(k) or ())) for k in ("refused", "contradicted"))
            alters = str(body.get("alters") or "")
            self.applied = Applied(int(body["count"]), int(body.get("verified") or 0), refused, contradicted, alters)

    def measured(self) -> Iterator[Step]:
        """The steps, with the change of the parameters that a sample of the same step measured."""
        for step in self.steps:
            change = self.changes.get((step.optimizer, step.index))
            yield step if change is None else replace(step, change=change)


def _with_users_paths(kind: str, body: dict[str, Any], users_path: Paths) -> dict[str, Any]:
    """The event with files as the user knows them; a copy of the project has other names."""
    if kind == "coverage":
        for key in ("unregistered", "covering", "extra", "made"):
            body[key] = [[users_path(f), line, name] for f, line, name in body.get(key, [])]
        thaw = body.get("thaw") or {}
        thaw["at"] = [[users_path(f), line, name] for f, line, name in thaw.get("at") or ()]
    elif kind == "planned":
        body["loops"] = [[users_path(f), line, count] for f, line, count in body.get("loops") or ()]
    elif kind == "opened":
        for key in ("read", "written"):
            body[key] = [[users_path(file), step] for file, step in body.get(key) or ()]
    elif kind == "sources":
        body["files"] = [users_path(file) for file in body.get("files") or ()]
    elif kind == "run":
        body["cwd"] = users_path(body["cwd"]) if body.get("cwd") else None
        body["argv"] = [users_path(a) if a.startswith("/") else a for a in map(str, body.get("argv") or ())]
    return body


def _lines(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """The events in the order in which they were written; a line cut short by a kill is passed over."""
    for file in files:
        with file.open("rb") as handle:
            for line in handle:
                try:
                    body = json.loads(line)
                except ValueError:
                    continue
                if isinstance(body, dict):
                    yield body


def read_process(files: Sequence[Path], users_path: Paths, rank: int = 0) -> Recording:
    """One process's record from its segments, oldest first. A line that makes no sense costs that line only."""
    reading = _Reading(users_path)
    for body in _lines(files):
        kind = str(body.pop("e", ""))
        try:
            reading.take(kind, body)
        except (KeyError, TypeError, ValueError, IndexError):
            continue
    events = tuple(reading.events)
    faults = tuple(
        f"{e.body.get('error')} in {e.body.get('hook')} ({e.body.get('at')})" for e in events if e.kind == "fault"
    )
    attached = any(e.kind == "attached" for e in events)
    told = [e.body["rank"] for e in events if e.kind == "run" and isinstance(e.body.get("rank"), int)]
    return Recording(
        tuple(reading.measured()), events, reading.sites, attached, reading.applied, faults,
        rank=told[-1] if told else rank, segments=len(files),
    )  # fmt: skip


def _processes(folder: Path, users_path: Paths) -> Iterator[Recording]:
    """The record of each process of a run, the lowest rank first."""
    files: dict[tuple[int, str], list[tuple[int, Path]]] = {}
    for file in folder.glob("*.jsonl"):
        name = NAME.fullmatch(file.name)
        owner = (int(name[1]), name[2]) if name else (0, file.name)
        files.setdefault(owner, []).append((int(name[3] or 0) if name else 0, file))
    for (rank, _), segments in sorted(files.items()):
        yield read_process([file for _, file in sorted(segments)], users_path, rank)


def _training(found: Sequence[Recording]) -> dict[int, Recording]:
    """For each rank, the process that took the most steps; ranks without a step are not in it."""
    ranks: dict[int, Recording] = {}
    for one in found:
        if one.steps and (one.rank not in ranks or len(one.steps) > len(ranks[one.rank].steps)):
            ranks[one.rank] = one
    return dict(sorted(ranks.items()))


def read(folder: Path, users_path: Paths = lambda p: p) -> Recording:
    """The recording of the process that trained: the one with the most steps, the lowest rank first."""
    found = list(_processes(folder, users_path))
    if not found:
        return Recording()
    best = max(found, key=lambda r: (len(r.steps), 0 if r.steps else len(r.events)))
    ranks = _training(found)
    attached = any(r.attached for r in found)
    return replace(best, attached=attached, processes=len(found), ranks=ranks if len(ranks) > 1 else {})


def read_ranks(folder: Path, users_path: Paths = lambda p: p) -> dict[int, Recording]:
    """The training process of each rank, by rank."""
    return _training(list(_processes(folder, users_path)))

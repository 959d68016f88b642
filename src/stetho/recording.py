"""What the observer wrote, read back: one frozen record of one run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stetho.evidence import Place


@dataclass(frozen=True)
class Step:
    """One optimizer step."""

    optimizer: int
    index: int
    losses: tuple[tuple[int, float], ...]
    rates: tuple[float | None, ...]
    gradient: float | None
    kept: bool
    change: float | None
    clip: tuple[float, float] | None
    at: int | None


@dataclass(frozen=True)
class Event:
    """Any other line of the recording."""

    kind: str
    body: dict[str, Any]


@dataclass(frozen=True)
class Recording:
    """One process's record. `places` gives the user's frames of a call site, innermost first."""

    steps: tuple[Step, ...] = ()
    events: tuple[Event, ...] = ()
    sites: dict[int, tuple[Place, ...]] = field(default_factory=dict)
    attached: bool = False
    applied: int = 0
    faults: tuple[str, ...] = ()
    processes: int = 0

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


def _number(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]


def _step(body: dict[str, Any]) -> Step:
    clip = body.get("clip")
    return Step(
        optimizer=int(body["o"]),
        index=int(body["i"]),
        losses=tuple((int(s), float(v)) for s, v in body["loss"]),
        rates=tuple(_number(r) for r in body["lr"]),
        gradient=_number(body.get("g")),
        kept=bool(body.get("kept")),
        change=_number(body.get("u")),
        clip=(float(clip[0]), float(clip[1])) if clip else None,
        at=body.get("at"),
    )


def read_process(file: Path, users_path: Callable[[str], str]) -> Recording:
    """One process's file; a last line cut short by a kill is passed over."""
    steps: list[Step] = []
    events: list[Event] = []
    sites: dict[int, tuple[Place, ...]] = {}
    applied = 0
    with file.open("rb") as handle:
        for line in handle:
            try:
                body = json.loads(line)
            except ValueError:
                continue
            kind = body.pop("e", "")
            if kind == "step":
                steps.append(_step(body))
                applied = max(applied, int(body.get("applied", 0)))
            elif kind == "site":
                frames = body["frames"]
                sites[int(body["id"])] = tuple(Place(users_path(f[0]), int(f[1]), key=f[2]) for f in frames)
            elif kind == "applied":
                applied = max(applied, int(body["count"]))
            else:
                if kind == "coverage":
                    for key in ("unregistered", "covering", "extra", "made"):
                        body[key] = [[users_path(f), line, name] for f, line, name in body.get(key, [])]
                events.append(Event(kind, body))
    faults = tuple(f"{e.body['error']} in {e.body['hook']} ({e.body['at']})" for e in events if e.kind == "fault")
    attached = any(e.kind == "attached" for e in events)
    return Recording(tuple(steps), tuple(events), sites, attached, applied, faults)


def read(folder: Path, users_path: Callable[[str], str] = lambda p: p) -> Recording:
    """The recording of the process that trained: the one with the most steps, the lowest rank first."""
    found = [read_process(f, users_path) for f in sorted(folder.glob("*.jsonl"))]
    if not found:
        return Recording()
    best = max(found, key=lambda r: (len(r.steps), 0 if r.steps else len(r.events)))
    return Recording(
        best.steps,
        best.events,
        best.sites,
        any(r.attached for r in found),
        best.applied,
        best.faults,
        len(found),
    )

"""The end of a recording that is being written: the steps that came since the last look, and where the run stands."""

from __future__ import annotations

import contextlib
import json
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from stetho.evidence import Place

FILE = re.compile(r"r(\d+)-(\d+)(?:\.(\d+))?\.jsonl")
KIND = re.compile(rb'\{"e":\s*"([a-z-]+)"')
# The rest of a recording is for reading at leisure; raw samples alone can be most of it.
WANTED = frozenset(
    b"step steps skipped scaler site loss-call planned attached origin unlocalised fault".split(),
)
# Steps whose median makes one level of a series, and how many levels are kept before neighbours are put together.
WIDTH, MOST_LEVELS = 10, 4096
# Values from which a series takes the level at which it began.
FIRST = 20
RECENT = 240
MOST_READ = 4 * 1024 * 1024
MOST_ORIGINS = 50
# Looks that an optimizer may miss and still count as one that steps.
CURRENT = 25


class Series:
    """A loss in bounded memory: its newest values, and its level over each stretch of the run."""

    def __init__(self) -> None:
        self.first: list[float] = []
        self.recent: deque[float] = deque(maxlen=RECENT)
        self.levels: list[float] = []
        self.width = WIDTH
        self.open: list[float] = []

    def add(self, value: float) -> None:
        """Take one more value; those that are not finite have no level."""
        self.recent.append(value)
        if value - value != 0.0:
            return
        if len(self.first) < FIRST:
            self.first.append(value)
        self.open.append(value)
        if len(self.open) < self.width:
            return
        self.levels.append(median(self.open))
        self.open.clear()
        if len(self.levels) >= MOST_LEVELS:
            self.levels = [(a + b) / 2 for a, b in zip(self.levels[::2], self.levels[1::2], strict=True)]
            self.width *= 2

    @property
    def newest(self) -> float | None:
        return self.recent[-1] if self.recent else None


@dataclass
class Process:
    """One process of the run: where its call sites are, and what it says of itself."""

    name: str
    rank: int
    sites: dict[int, Place] = field(default_factory=dict)
    losses: dict[str, bool] = field(default_factory=dict)
    """Library losses that backward goes through; True where each call gave one number."""
    scaled: bool = False
    """Whether a gradient scaler leaves out steps on purpose."""
    planned: int | None = None
    """The steps that its loops ask for."""


@dataclass
class Track:
    """One optimizer of one process, as far as it has come."""

    process: Process
    optimizer: int
    steps: int = 0
    touched: int = 0
    """The look at which its newest step was read."""
    loss: Series = field(default_factory=Series)
    site: int | None = None
    """The backward call whose value is the loss; the first one that was seen."""
    gradient: float | None = None
    paces: deque[float] = field(default_factory=lambda: deque(maxlen=50))
    longest: float = 0.0
    """The longest that one step came after another, in seconds."""
    timed: int = 0
    seconds: float = 0.0
    waited: float | None = None
    mixed: bool = False
    """Whether the loss is something else than the value of one library loss."""
    left_out: int = 0
    """Steps in a row that a gradient scaler left out."""


@dataclass(frozen=True, slots=True)
class Stepped:
    """One step as it was read. The values are those of its backward calls, with their sites."""

    track: Track
    index: int
    losses: tuple[tuple[int, float], ...]
    gradient: float | None
    seconds: float | None = None
    waited: float | None = None


@dataclass(frozen=True)
class Origin:
    """An operation that made a NaN or Inf out of finite numbers; on the path when the loss depends on it."""

    step: int
    operation: str
    phase: str
    on_path: bool
    place: Place | None


@dataclass
class File:
    """One file of the recording and how much of it has been read."""

    process: Process
    read: int = 0
    clock: float | None = None
    """The time of the newest step that was written on a line of its own."""


class Tail:
    """What a recording says up to now, over all processes and all files that each of them has begun."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, File] = {}
        self.processes: dict[str, Process] = {}
        self.tracks: dict[tuple[str, int], Track] = {}
        self.attached = False
        self.looks = 0
        """How many looks have found steps."""
        self.faults: list[str] = []
        self.origins: list[Origin] = []
        self.unlocalised: str | None = None

    @property
    def main(self) -> Track | None:
        """Of the optimizers that still step, the one furthest ahead: the lowest rank's first, when several are.

        A command may train one model after the other; what stepped a while ago is over.
        """
        current = [t for t in self.tracks.values() if t.touched > self.looks - CURRENT]
        order = sorted(current, key=lambda t: (-t.steps, t.process.rank, t.optimizer))
        return order[0] if order else None

    @property
    def steps(self) -> int:
        return max((t.steps for t in self.tracks.values()), default=0)

    @property
    def loss(self) -> float | None:
        main = self.main
        return main.loss.newest if main is not None else None

    def read(self) -> list[Stepped]:
        """The steps written since the last call. A line that is not whole yet waits for the next one."""
        found: list[Stepped] = []
        for path in sorted(self.folder.glob("*.jsonl"), key=_order):
            file = self.files.get(path.name) or self._begin(path)
            for line in _new_lines(path, file):
                kind = KIND.match(line)
                if kind is None or kind[1] not in WANTED:
                    continue
                try:
                    found += self._take(kind[1].decode(), json.loads(line), file)
                except (ValueError, KeyError, TypeError, IndexError):
                    continue  # a line that makes no sense costs that line only
        self.looks += bool(found)
        for step in found:
            step.track.touched = self.looks
        return found

    def _begin(self, path: Path) -> File:
        """A process may go on in further files; its call sites keep their numbers there."""
        name = FILE.fullmatch(path.name)
        owner = f"{name[1]}-{name[2]}" if name else path.name
        process = self.processes.setdefault(owner, Process(owner, int(name[1]) if name else 0))
        self.files[path.name] = File(process)
        return self.files[path.name]

    def _track(self, process: Process, optimizer: int) -> Track:
        return self.tracks.setdefault((process.name, optimizer), Track(process, optimizer))

    def _take(self, kind: str, body: dict[str, Any], file: File) -> list[Stepped]:
        process = file.process
        if kind in ("step", "steps"):
            track = self._track(process, int(body["o"]))
            return [s for s in (_block(track, body) if kind == "steps" else _single(track, body, file)) if _advance(s)]
        if kind == "site":
            frames = body["frames"]
            if frames:
                process.sites[int(body["id"])] = Place(str(frames[0][0]), int(frames[0][1]))
        elif kind == "loss-call" and body.get("grad"):
            whole = body.get("red") in ("mean", "sum", "batchmean")
            process.losses[str(body["fn"])] = process.losses.get(str(body["fn"]), True) and whole
        elif kind == "planned":
            process.planned = int(body["steps"]) if body.get("steps") else None
        elif kind == "unlocalised" and self.unlocalised is None:
            self.unlocalised = str(body.get("why", "")) or None
        elif kind == "origin" and len(self.origins) < MOST_ORIGINS:
            place = process.sites.get(body.get("site", -1))
            on_path = bool(body.get("graph")) or body["phase"] != "forward"
            self.origins.append(Origin(int(body["step"]), str(body["op"]), str(body["phase"]), on_path, place))
        elif kind == "fault":
            self.faults.append(f"{body.get('error')} in {body.get('hook')}")
        elif kind == "skipped":
            self._track(process, int(body["o"])).left_out += 1
        process.scaled |= kind in ("skipped", "scaler")
        self.attached |= kind == "attached"
        return []


def _order(path: Path) -> tuple[str, int]:
    name = FILE.fullmatch(path.name)
    return (f"{name[1]}-{name[2]}", int(name[3] or 0)) if name else (path.name, 0)


def _new_lines(path: Path, file: File) -> Iterator[bytes]:
    """The whole lines that have come, a few megabytes at a time: one joins a long run with all of it to read."""
    with contextlib.suppress(OSError), path.open("rb") as handle:
        handle.seek(file.read)
        rest = b""
        while data := handle.read(MOST_READ):
            whole, _, rest = (rest + data).rpartition(b"\n")
            file.read = handle.tell() - len(rest)
            yield from whole.splitlines()


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _pairs(value: Any) -> tuple[tuple[int, float], ...]:
    return tuple((int(site), float(amount)) for site, amount in value or ())


def _block(track: Track, body: dict[str, Any]) -> Iterator[Stepped]:
    """The steps of one block; a column of one value holds for all of them, and thinned blocks have gaps."""
    size, first, apart = int(body["n"]), int(body["i"]), int(body.get("every", 1))
    losses = [_pairs(pairs) for pairs in body.get("loss") or ()]
    losses = losses * size if len(losses) == 1 else losses
    track.mixed |= any(body.get("terms") or ())
    columns = [list(map(_number, body.get(key) or ())) for key in ("g", "dt", "dw")]
    for offset in range(size):
        gradient, took, waited = (column[offset] if offset < len(column) else None for column in columns)
        pairs = losses[offset] if offset < len(losses) else ()
        yield Stepped(track, first + offset * apart, pairs, gradient, took, waited)


def _single(track: Track, body: dict[str, Any], file: File) -> Iterator[Stepped]:
    """A step on a line of its own, as earlier observers wrote it."""
    clock = _number(body.get("t"))
    took = clock - file.clock if clock is not None and file.clock is not None else None
    file.clock = clock
    track.mixed = True  # these lines do not say what the loss is made of
    yield Stepped(track, int(body["i"]), _pairs(body["loss"]), _number(body.get("g")), took)


def _advance(step: Stepped) -> bool:
    """Bring the track up to this step, unless it was there already."""
    track = step.track
    if step.index < track.steps:
        return False
    first = track.steps == 0
    track.steps = step.index + 1
    track.gradient = step.gradient
    track.left_out = 0
    if step.losses:
        track.site = step.losses[0][0] if track.site is None else track.site
        own = [value for site, value in step.losses if site == track.site]
        if own:
            track.loss.add(sum(own) / len(own))
    # The first step waits for all that comes before training.
    if step.seconds is not None and not first:
        track.paces.append(step.seconds)
        track.longest = max(track.longest, step.seconds)
        track.timed += 1
        track.seconds += step.seconds
        track.waited = (track.waited or 0.0) + step.waited if step.waited is not None else track.waited
    return True

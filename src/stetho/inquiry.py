"""One investigation under way: its case, its evidence so far, and what time is left."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from stetho import edited, recording
from stetho.case import Case, Request
from stetho.catalogue import Catalogue
from stetho.check import Judgement, judge_each
from stetho.context import circumstances
from stetho.evidence import Evidence, Kind, Place, Source
from stetho.executors import local
from stetho.executors.protocol import Executor, Ran, Watcher
from stetho.experiment import Bound, Carried, Edit, Experiment, Job
from stetho.facts import Fact, LossCurve, RunEnd
from stetho.ledger import Ledger, fact_of
from stetho.reason import Seen
from stetho.recording import Recording

BASE = "base"
F = TypeVar("F", bound=Fact)
Facts = Mapping[type[Fact], tuple[str, Fact]]


@dataclass
class Inquiry:
    """What every step of the loop works on. All it knows is in the ledger, so that a case can be resumed."""

    case: Case
    ledger: Ledger
    request: Request
    catalogue: Catalogue
    show: Callable[[str], None]
    progress: Callable[[str], None]
    stdin: Path | None = None
    execute: Executor = local.run
    begun: float = field(default_factory=time.monotonic)
    runs: int = 0
    steps: int = 0
    """Optimizer steps of all runs that this investigation has made, the first one included."""
    reused: int = 0
    """Runs that were made before and taken from the store."""
    ground: str = BASE
    """The run that experiments are compared with; another one when they begin from a state that was kept."""
    restores: tuple[tuple[str, str, str], ...] = ()
    """What puts that state into a run, as a change that is made before any other."""
    base: str = BASE
    """The run that is judged: the first one, or one with the cures of other causes applied."""
    carried: Carried = field(default_factory=Carried)
    """Those cures; they are part of every run."""
    records: dict[str, Recording] = field(default_factory=dict)
    decoded: dict[str, Fact | None] = field(default_factory=dict)
    """Facts by the evidence that holds them; evidence never changes, so each is decoded once."""

    def remaining(self) -> float:
        return self.request.budget - self.spent()

    def spent(self) -> float:
        return time.monotonic() - self.begun

    def facts(self, run: str = "") -> dict[type[Fact], tuple[str, Fact]]:
        """The newest fact of each kind that a run gave, the one that is judged, with the evidence that holds it."""
        run = run or self.base
        found: dict[type[Fact], tuple[str, Fact]] = {}
        for evidence in self.ledger.evidence():
            if evidence.run == run:
                if evidence.id not in self.decoded:
                    self.decoded[evidence.id] = fact_of(evidence)
                fact = self.decoded[evidence.id]
                if fact is not None:
                    found[type(fact)] = (evidence.id, fact)
        return found

    def record(self, run: str = "") -> Recording:
        """What was recorded of a run, read once."""
        run = run or self.base
        if run not in self.records:
            self.records[run] = recording.read(self.case.recordings / run, self.users_path)
        return self.records[run]

    def fact(self, kind: type[F], run: str = "") -> F | None:
        entry = self.facts(run).get(kind)
        return entry[1] if entry is not None and isinstance(entry[1], kind) else None

    def experiments(self) -> tuple[Experiment, ...]:
        """Those that were made on the run that is judged."""
        return tuple(x for x in self.ledger.experiments() if x.base == self.base)

    def observed(self) -> bool:
        return self.fact(RunEnd) is not None

    def seen(self) -> Seen:
        facts = self.facts()
        judgements = self.told(judge_all(self.catalogue, facts))
        return Seen(gravest(self.catalogue, judgements), judgements, self.experiments(), circumstances(facts))

    def told(self, judgements: tuple[Judgement, ...]) -> tuple[Judgement, ...]:
        """Judgements without what a cure at run time leaves to be seen: the program's own call is as it was."""
        causes = [self.catalogue.causes[cause] for cause in self.carried.by_change]
        known = {check for cause in causes for check in cause.mechanism}
        return tuple(j for j in judgements if j.check not in known or j.outcome != "fired")

    def put(self, kind: Kind, summary: str, fact: Fact | None = None, source: Source = Source()) -> Evidence:  # noqa: B008 (frozen)
        """A fact of the run that is judged, on record; lines are told as they are in the user's files."""
        if self.carried.edits:
            summary = edited.in_users_lines(summary, self.carried.edits, self.request.cwd)
            line = self.users_place(Place(source.file, source.line)).line if source.file else source.line
            source = replace(source, line=line)
        return self.ledger.add_evidence(kind, summary, source=source, fact=fact, run=self.base)

    def users_place(self, place: Place) -> Place:
        """A place as it is in the user's files, which are without the cures that were carried."""
        real = os.path.realpath(os.path.join(self.request.cwd, place.file))
        for one in self.carried.edits:
            if os.path.realpath(one.file) == real and place.line is not None and not one.where:
                return replace(place, line=edited.users_line(one, place.line))
        return place

    def job(
        self,
        bound: Bound,
        *,
        changes: tuple[tuple[str, str, str], ...] = (),
        edits: tuple[Edit, ...] = (),
        **differs: Any,
    ) -> Job:
        """The user's command on the same seed, within the user's limits, with all that is carried and what differs."""
        request = self.request
        bound = request.limits.within(bound)
        changes = (*self.restores, *self.carried.changes, *changes)
        edits = edited.together(self.carried.edits, edits) if self.carried.edits else edits
        job = Job(request.command, request.cwd, request.seed, bound, changes, edits, stdin=self.stdin)
        return replace(job, isolation=request.isolation, **differs)

    def run(self, bound: Bound, watch: Watcher | None = None, **differs: Any) -> Ran:
        """Run that job; counted as one run of the investigation."""
        return self.counted(self.execute(self.job(bound, **differs), watch))

    def counted(self, ran: Ran) -> Ran:
        """A run that this investigation has made, or has taken from the store."""
        if ran.reused:
            self.reused += 1
        else:
            self.runs += 1
        # The budget is for running, not for waiting in a queue.
        self.begun += ran.waited
        return ran

    def run_name(self) -> str:
        """What the newest run's recording is kept under; no two of a case have the same."""
        return f"run{self.runs + self.reused}-{self.ledger.next_experiment_id()}"

    def users_path(self, path: str) -> str:
        return path_from(self.request.cwd, path)


def path_from(cwd: str, path: str) -> str:
    """Short for files below the working directory, whole for others."""
    cwd = os.path.realpath(cwd)
    real = os.path.realpath(path) if os.path.isabs(path) else path
    return os.path.relpath(real, cwd) if real.startswith(cwd + os.sep) else path


def judge_all(catalogue: Catalogue, facts: Facts) -> tuple[Judgement, ...]:
    """The answer of every check in the catalogue."""
    return judge_each(catalogue.checks.values(), facts)


def gravest(catalogue: Catalogue, judgements: tuple[Judgement, ...]) -> str:
    """The gravest symptom that fired, or "none"."""
    fired = [
        catalogue.checks[j.check]
        for j in judgements
        if j.outcome == "fired" and catalogue.checks[j.check].family == "symptoms"
    ]
    return max(fired, key=lambda c: c.severity).id if fired else "none"


def map_places(value: Any, change: Callable[[str], str]) -> Any:
    """A fact with every file name in it changed."""
    if isinstance(value, Place):
        return replace(value, file=change(value.file))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: map_places(getattr(value, f.name), change) for f in fields(value)})
    if isinstance(value, tuple):
        return tuple(map_places(v, change) for v in value)
    return value


def thinned(curve: LossCurve, most: int = 4000) -> LossCurve:
    """A curve short enough to keep; long ones keep every k-th value and the last."""
    if len(curve.values) <= most:
        return curve
    k = len(curve.values) // most + 1
    chosen = sorted({*range(0, len(curve.values), k), len(curve.values) - 1})
    steps = curve.steps or tuple(range(len(curve.values)))
    return replace(curve, values=tuple(curve.values[i] for i in chosen), steps=tuple(steps[i] for i in chosen))

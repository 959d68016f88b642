"""Runs a command here, under observation and in isolation, within bounds; its whole process tree ends with it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from stetho import scratch as scratches
from stetho.errors import ScratchError
from stetho.executors.protocol import OUTPUT, Progress, Ran, Watcher
from stetho.experiment import Job, Plan
from stetho.isolation.idleness import Idleness
from stetho.isolation.likeness import restore
from stetho.isolation.memory import Resident
from stetho.isolation.room import EDIT, REFUSED
from stetho.isolation.trackers import quiet
from stetho.isolation.written import MOST, MOST_OF_A_CHANGED_RUN, keep
from stetho.scratch import Scratch, Spec, Way
from stetho.tail import Tail

INJECT = Path(__file__).parent.parent / "observer" / "inject"
PLAN = "plan.json"
# Seconds between two looks at a run, and how long it may take to end once it is told to.
LOOK, LAST_RESORT = 0.05, 10.0
# What this machine has refused once is not tried again.
_refused: dict[Way, str] = {}


def injected(plan_file: Path, given: Mapping[str, str]) -> dict[str, str]:
    """The user's environment with the observer on its path, and nothing else changed."""
    path = given.get("PYTHONPATH")
    found_first = f"{INJECT}{os.pathsep}{path}" if path else str(INJECT)
    return {**given, "PYTHONPATH": found_first, "STETHO_PLAN": str(plan_file)}


def environment_for(plan_file: Path, given: Mapping[str, str]) -> dict[str, str]:
    """The same for a run that is compared with others and that nobody else is to hear of."""
    return {
        **quiet(injected(plan_file, given)),
        "PYTHONHASHSEED": given.get("PYTHONHASHSEED", "0"),
        "PYTHONUNBUFFERED": "1",
    }


def ways(job: Job) -> list[Way]:
    """How the run can be kept apart, the best way first; a way that needs an overlay is for Linux alone."""
    copy = _asked_for_copy(job) or not sys.platform.startswith("linux")
    found = [Way(overlay, processes) for overlay in (True, False) for processes in (True, False)]
    return [way for way in found if not (copy and way.overlay) and way not in _refused]


def _asked_for_copy(job: Job) -> bool:
    return job.isolation.copy or os.environ.get("STETHO_ISOLATION") == "copy"


def run(job: Job, watch: Watcher | None = None) -> Ran:
    """Run the command to its bound. `watch` is told the progress and may name a reason to stop."""
    for way in ways(job):
        if way in _refused:
            continue
        scratch, spec = scratches.make(job, way)
        try:
            ran = _run_in(scratch, spec, job, watch)
        except BaseException:
            scratch.discard()
            raise
        report = scratch.report()
        if ran.code != REFUSED or "refused" not in report:
            return ran
        scratch.discard()
        if report["refused"] == EDIT:
            raise ScratchError(f"{report['edit']} cannot be changed for this run: {report.get('why')}")
        _remember(way, str(report["refused"]), str(report.get("why")))
    raise ScratchError("this machine let the command be isolated in no way: " + "; ".join(_refused.values()))


def _remember(way: Way, refused: str, why: str) -> None:
    """Without namespaces, no way with an overlay is left; without its own table of processes, only that is given up."""
    _refused[way] = why
    if way.overlay and refused != "proc":
        _refused[Way(True, False)] = why


def _run_in(scratch: Scratch, spec: Spec, job: Job, watch: Watcher | None) -> Ran:
    plan_file = scratch.recording / PLAN
    plan = Plan(
        str(scratch.recording), job.seed, job.bound.steps, job.changes, job.trace,
        moved=scratch.renamed, seconds=job.bound.seconds,
    )  # fmt: skip
    plan_file.write_text(json.dumps(asdict(plan)))
    replace(spec, environment=environment_for(plan_file, spec.environment)).write()
    output = scratch.base / OUTPUT
    begun = time.monotonic()
    with output.open("wb") as out, (job.stdin or Path(os.devnull)).open("rb") as given:
        process = subprocess.Popen(
            scratch.command, stdin=given, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            stopped = _wait(process, scratch.recording, begun, job, watch)
        finally:
            end_tree(process)
    seconds = time.monotonic() - begun
    code = process.returncode
    error = plan_file.with_suffix(".json.error")
    restore(scratch.base)
    keep(scratch, spec, MOST_OF_A_CHANGED_RUN if job.changes or job.edits else MOST)
    return Ran(
        code=code if code >= 0 else None,
        signal=signal.Signals(-code).name if code < 0 and stopped is None else None,
        seconds=seconds,
        stopped_by=stopped or _ended_by(scratch.recording),
        folder=scratch.base,
        renamed=scratch.renamed,
        overlay=scratch.way.overlay,
        injection_error=error.read_text() if error.exists() else None,
        notes=_notes(scratch, _asked_for_copy(job)),
    )


def _notes(scratch: Scratch, asked: bool) -> tuple[str, ...]:
    """What is to be said of how the run was kept apart; a copy that was asked for says nothing of the machine."""
    found = list(scratch.notes)
    why = next((why for way, why in _refused.items() if way.overlay and way.processes), None)
    if not scratch.way.overlay:
        reason = f"this machine allows no overlay ({why}); the" if why and not asked else "the"
        found.append(f"{reason} command ran in a copy of the project")
    notes = scratch.report().get("notes")
    return (*found, *map(str, notes if isinstance(notes, list) else ()))


def _wait(
    process: subprocess.Popen[bytes], recording: Path, begun: float, job: Job, watch: Watcher | None
) -> str | None:
    tail = Tail(recording)
    resident = Resident(process.pid, job.bound.memory)
    idleness = Idleness(process.pid, job.bound.seconds)
    with _ending(process) as ended:
        while not ended(LOOK):
            spent = time.monotonic() - begun
            idleness.look(spent, tail.steps)
            if spent > job.bound.seconds:
                idleness.write(recording, spent)
                return "time"
            if resident.too_much(spent):
                return "memory"
            if watch is not None:
                tail.read()
                reason = watch(Progress(spent, tail.steps, tail.loss))
                if reason:
                    return reason
    return None


def _ended_by(recording: Path) -> str | None:
    for file in recording.glob("*.jsonl"):
        with file.open("rb") as handle:
            handle.seek(max(0, file.stat().st_size - 4096))
            if b'"e":"end","reason":"bound"' in handle.read():
                return "bound"
    return None


@contextlib.contextmanager
def _ending(process: subprocess.Popen[bytes]) -> Iterator[Callable[[float], bool]]:
    """Waiting for a process for some seconds at most, without asking again and again where the kernel tells."""
    opened = getattr(os, "pidfd_open", None)
    try:
        descriptor = opened(process.pid) if opened is not None else None
    except OSError:
        descriptor = None

    def ended(seconds: float) -> bool:
        if descriptor is not None:
            select.select([descriptor], [], [], seconds)
            return process.poll() is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        return process.poll() is not None

    try:
        yield ended
    finally:
        if descriptor is not None:
            os.close(descriptor)


def end_tree(process: subprocess.Popen[bytes]) -> None:
    """End the process and everything it started: it knows them all, and is over when they are."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(LAST_RESORT)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()

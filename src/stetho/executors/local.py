"""Runs a command here, under observation and in isolation, within bounds; ends its whole process tree."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from dataclasses import asdict
from pathlib import Path

from stetho import scratch as scratches
from stetho.executors.isolate import REFUSED
from stetho.executors.protocol import OUTPUT, Progress, Ran, Watcher
from stetho.experiment import Job, Plan
from stetho.tail import Tail

INJECT = Path(__file__).parent.parent / "observer" / "inject"
# Trackers are switched off by their own variables; whatever still writes, writes into the scratch.
QUIET_TRACKERS = {
    "WANDB_MODE": "disabled", "COMET_MODE": "disabled", "MLFLOW_TRACKING_URI": "sqlite:///:memory:",
    "NEPTUNE_MODE": "debug", "CLEARML_OFFLINE_MODE": "1", "HF_HUB_DISABLE_TELEMETRY": "1",
}  # fmt: skip


def injected(plan_file: Path, given: dict[str, str]) -> dict[str, str]:
    """The user's environment with the observer on its path, and nothing else changed."""
    path = given.get("PYTHONPATH")
    found_first = f"{INJECT}{os.pathsep}{path}" if path else str(INJECT)
    return {**given, "PYTHONPATH": found_first, "STETHO_PLAN": str(plan_file)}


def environment_for(plan_file: Path, given: dict[str, str]) -> dict[str, str]:
    """The same for a run that is compared with others and that nobody else is to hear of."""
    return {
        **injected(plan_file, given),
        **QUIET_TRACKERS,
        "PYTHONHASHSEED": given.get("PYTHONHASHSEED", "0"),
        "PYTHONUNBUFFERED": "1",
    }


def run(job: Job, watch: Watcher | None = None) -> Ran:
    """Run the command to its bound. `watch` is told the progress and may name a reason to stop."""
    for copy in (False, True):
        scratch = scratches.make(job, {**os.environ, **job.environment}, copy=copy)
        try:
            ran = _run_in(scratch, job, watch)
        except BaseException:
            scratch.discard()
            raise
        # Mounts inside a protected directory can make the kernel refuse; nothing has run then.
        if copy or not scratch.overlay or ran.code != REFUSED or any(scratch.recording.iterdir()):
            return ran
        scratch.discard()
    raise AssertionError("the second round always returns")


def _run_in(scratch: scratches.Scratch, job: Job, watch: Watcher | None) -> Ran:
    plan_file = scratch.base / "plan.json"
    plan = Plan(str(scratch.recording), job.seed, job.bound.steps, job.changes, job.trace)
    plan_file.write_text(json.dumps(asdict(plan)))
    spec = json.loads((scratch.base / "spec.json").read_text())
    spec["environment"] = environment_for(plan_file, spec["environment"])
    (scratch.base / "spec.json").write_text(json.dumps(spec))
    output = scratch.base / OUTPUT
    begun = time.monotonic()
    with output.open("wb") as out, (job.stdin or Path(os.devnull)).open("rb") as given:
        process = subprocess.Popen(
            scratch.command, stdin=given, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            stopped = _wait(process, scratch.recording, begun, job.bound.seconds, watch)
        finally:
            end_tree(process)
    code = process.returncode
    error = plan_file.with_suffix(".json.error")
    return Ran(
        code=code if code >= 0 else None,
        signal=signal.Signals(-code).name if code < 0 and stopped is None else None,
        seconds=time.monotonic() - begun,
        stopped_by=stopped or _ended_by(scratch.recording),
        folder=scratch.base,
        renamed=scratch.renamed,
        overlay=scratch.overlay,
        injection_error=error.read_text() if error.exists() else None,
    )


def _wait(
    process: subprocess.Popen[bytes],
    recording: Path,
    begun: float,
    seconds: float,
    watch: Watcher | None,
) -> str | None:
    tail = Tail(recording)
    while True:
        try:
            process.wait(0.05)
            return None
        except subprocess.TimeoutExpired:
            spent = time.monotonic() - begun
            if spent > seconds:
                return "time"
            if watch is not None:
                tail.read()
                reason = watch(Progress(spent, tail.steps, tail.loss))
                if reason:
                    return reason


def _ended_by(recording: Path) -> str | None:
    for file in recording.glob("*.jsonl"):
        with file.open("rb") as handle:
            handle.seek(max(0, file.stat().st_size - 4096))
            if b'"e":"end","reason":"bound"' in handle.read():
                return "bound"
    return None


def end_tree(process: subprocess.Popen[bytes]) -> None:
    """End the process and everything it started, workers that left its session included."""
    import psutil

    try:
        family = psutil.Process(process.pid).children(recursive=True)
    except psutil.Error:
        family = []
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for child in family:
        try:
            child.kill()
        except psutil.Error:
            continue
    process.wait()

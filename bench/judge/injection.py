"""A program run with another tool's file let into it, without an edit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from bench.judge.running import Ran, run
from bench.judge.subject import Subject

INJECTED = Path(__file__).parent / "injected"


def run_with(file: str, subject: Subject, project: Path, seconds: float, more: Mapping[str, str] | None = None) -> Ran:
    """Lay a subject out and run it with a file of `injected/`."""
    subject.lay(project)
    before = os.environ.get("PYTHONPATH")
    own = {
        "BENCH_AFTER_TORCH": str(INJECTED / file),
        "PYTHONPATH": str(INJECTED) + (os.pathsep + before if before else ""),
        **(more or {}),
    }
    return run(("env", *(f"{key}={value}" for key, value in own.items()), *subject.command), project, seconds=seconds)

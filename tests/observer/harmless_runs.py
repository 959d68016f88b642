"""The programs in `harmless`, each run twice without the observer and once with it."""

from __future__ import annotations

import fcntl
import functools
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conftest import environment
from stetho.executors.local import INJECT

FOLDER = Path(__file__).parent / "harmless"
# Those of one batch share their imports, which cost more than they do.
BATCHES = {
    "torch": (
        "loop", "closure", "gan", "recurrent", "device_mode", "functional", "workers", "checkpointed", "scaled",
        "hooked", "copied", "scripted", "transformed", "poisoned", "threaded", "signalled", "waiting", "watched",
        "spoken", "replacing", "complex_numbers", "written", "ranks", "compiled",
    ),
    "frameworks": (
        "import:lightning", "import:transformers", "import:keras", "lightning_fit", "trainer_fit", "keras_fit",
    ),
}  # fmt: skip
PROGRAMS = [name for names in BATCHES.values() for name in names if ":" not in name]
# The order of a set of texts, which gets into pickles, depends on the last of these.
SETTINGS = {
    "KERAS_BACKEND": "torch",
    "HF_HUB_OFFLINE": "1",
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


@dataclass(frozen=True)
class Outcome:
    """What one run of a program left."""

    code: str
    out: str
    err: str
    events: tuple[dict[str, Any], ...] = ()

    @property
    def told(self) -> tuple[str, str, str]:
        return self.code, self.out, self.err

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [e for e in self.events if e["e"] == kind]


def outcome(name: str, run: str, factory: pytest.TempPathFactory) -> Outcome:
    """One run of a program: `plain-0`, `plain-1` or `observed-0`."""
    batch = next(b for b, names in BATCHES.items() if name in names)
    # Workers of one session have folders of their own in a common one.
    own = factory.getbasetemp()
    root = _results(batch, own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)
    kind, time = run.split("-")
    folder = root / kind / f"{name}-{time}"
    texts = [(folder / part).read_text() for part in ("code", "out", "err")]
    pid = (folder.parent / f"{folder.name}.pid").read_text()
    files = sorted((root / "recording").glob(f"r*-{pid}*.jsonl")) if kind == "observed" else []
    return Outcome(*texts, tuple(json.loads(line) for f in files for line in f.read_text().splitlines()))


@functools.cache
def _results(batch: str, shared: Path) -> Path:
    """The folder with the runs of a batch, made by whichever worker comes first."""
    folder = shared / f"harmless-{batch}"
    with open(shared / f"harmless-{batch}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            (folder / "recording").mkdir(parents=True)
            plan = {"recording": str(folder / "recording"), "seed": None, "steps": None, "changes": [], "trace": []}
            (folder / "plan.json").write_text(json.dumps(plan))
            observing = {"STETHO_PLAN": str(folder / "plan.json"), "PYTHONPATH": str(INJECT)}
            _run(BATCHES[batch], folder / "plain", 2, {})
            _run(BATCHES[batch], folder / "observed", 1, observing)
            assert not list(folder.glob("*.error"))
            (folder / "done").touch()
    return folder


def _run(names: tuple[str, ...], target: Path, times: int, variables: dict[str, str]) -> None:
    command = [sys.executable, str(FOLDER / "each.py"), str(target), str(times), *names]
    kept = {k: v for k, v in environment().items() if k not in ("PYTHONPATH", "PYTHONWARNINGS")}
    done = subprocess.run(
        command,
        env={**kept, **SETTINGS, **variables},
        capture_output=True,
        text=True,
        timeout=400,
        cwd=os.path.dirname(target),
    )
    assert done.returncode == 0, done.stderr

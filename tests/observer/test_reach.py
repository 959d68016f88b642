"""Programs of every style, run as their users run them: the losses they print are the losses that are recorded."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from conftest import environment
from stetho import recording
from stetho.executors.local import INJECT

PROGRAMS = Path(__file__).parent / "programs"
PYTHON = sys.executable
BIN = Path(PYTHON).parent
TORCHRUN = [str(BIN / "torchrun"), "--standalone", "--nproc_per_node", "2"]
COMMANDS = {
    "python": [PYTHON, "loop.py"],
    "bash script that runs python -m": ["bash", "train.sh"],
    "python that starts a python": [PYTHON, "started.py"],
    "spawned process": [PYTHON, "spawned.py"],
    "spawned loader workers": [PYTHON, "workers.py", "spawn"],
    "forked loader workers": [PYTHON, "workers.py", "fork"],
    "torchrun": [*TORCHRUN, "ranks.py"],
    "fully sharded": [*TORCHRUN, "sharded.py"],
    "accelerate launch": [str(BIN / "accelerate"), "launch", "--cpu", "--num_processes", "1", "accelerated.py"],
    "lightning": [PYTHON, "lightning_fit.py"],
    "trainer": [PYTHON, "trainer_fit.py"],
    "keras": [PYTHON, "keras_fit.py"],
    "torch.compile": [PYTHON, "compiled.py"],
}
# Styles of a loop rather than of a process; they share the import of torch, which costs more than they do.
FORKED = (
    "accumulation", "actor_critic", "data_parallel", "fused", "gan", "lbfgs", "plain_ops", "scaled", "stream",
)  # fmt: skip
# Were torch.compile to use several processes, each would be a Python that imports torch.
SETTINGS = {"KERAS_BACKEND": "torch", "HF_HUB_OFFLINE": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1"}
LOSS = re.compile(r"^loss (\S+) (\S+)$", re.MULTILINE)


def observed(command: list[str], folder: Path, cwd: Path) -> str:
    """Run a command under the observer, changing and seeding nothing; what it printed."""
    folder.mkdir()
    plan = {"recording": str(folder), "seed": None, "steps": None, "changes": [], "trace": [[0, 12]]}
    (cwd / "plan.json").write_text(json.dumps(plan))
    variables = {"STETHO_PLAN": str(cwd / "plan.json"), "PYTHONPATH": str(INJECT), **SETTINGS}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env={**environment(), **variables}, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(cwd.glob("*.error"))
    return done.stdout


def printed(text: str) -> list[list[float]]:
    """The losses that a program printed, by what it calls each of its loops."""
    found: dict[str, list[float]] = defaultdict(list)
    for key, value in LOSS.findall(text):
        found[key].append(float(value))
    return sorted(found.values())


def recorded(files: list[Path]) -> list[list[float]]:
    """The losses on record, by process and optimizer."""
    found: dict[tuple[Path, int], list[float]] = defaultdict(list)
    for file in files:
        record = recording.read_process([file], lambda p: p)
        assert not record.faults
        for step in record.steps:
            found[file, step.optimizer] += [value for _, value in step.losses]
    return sorted(filter(None, found.values()))


def same(told: list[list[float]], known: list[list[float]]) -> bool:
    pairs = zip(told, known, strict=False)
    return len(told) == len(known) > 0 and all(t == pytest.approx(k, rel=1e-4) for t, k in pairs)


@pytest.mark.parametrize("style", COMMANDS)
def test_every_loss_of_a_command_is_on_record(style: str, tmp_path: Path) -> None:
    for program in PROGRAMS.glob("*.*"):
        (tmp_path / program.name).symlink_to(program)
    told = printed(observed(COMMANDS[style], tmp_path / "recording", tmp_path))
    known = recorded(sorted((tmp_path / "recording").glob("*.jsonl")))
    assert same(told, known), (told, known)


def test_every_loss_of_a_forked_process_is_on_record(tmp_path: Path) -> None:
    text = observed([PYTHON, str(PROGRAMS / "forked.py"), *FORKED], tmp_path / "recording", tmp_path)
    wrong = {}
    for part in text.split("program ")[1:]:
        name, pid, _ = part.split(maxsplit=2)
        told, known = printed(part), recorded(sorted((tmp_path / "recording").glob(f"*-{pid}.jsonl")))
        if not same(told, known):
            wrong[name] = (told, known)
    assert not wrong and text.count("program ") == len(FORKED)

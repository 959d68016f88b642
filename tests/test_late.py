"""From a NaN after hundreds of steps to its cause with runs of a few steps: `stetho run`, then `stetho why CASE`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Answer, environment, stetho
from late_runs import SAMPLED, loader
from stetho import recording

# `stetho run` with a checkpoint every fifty steps, where the command line would wait for seconds to pass.
RUN = """
import os, sys, time
from pathlib import Path
from stetho.case import Request
from stetho.run import Wishes, run
request = Request(tuple(sys.argv[2:]), os.getcwd(), None, 600.0, None, False, time.time())
sys.exit(run(Path(".stetho"), request, Wishes(quiet=True, ring={"steps": 50, **eval(sys.argv[1])})))
"""
# What the program does depends on a count of its own, which no checkpoint of ours brings back.
COUNTED = SAMPLED.replace("torch.relu(gap)", "gap * (step < 580)").replace("0.6)", "5.0)")


def run(folder: Path, program: str, **bounds: float) -> None:
    (folder / "train.py").write_text(program)
    command = [sys.executable, "-c", RUN, repr(bounds), sys.executable, "train.py"]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode()


def why(folder: Path, *options: str) -> Answer:
    return stetho("why", "last", "--json", *options, cwd=folder)


@pytest.mark.parametrize("program", [loader(), SAMPLED], ids=["loader", "sampled"])
def test_the_cause_of_a_late_failure_is_established_from_shortly_before_it(program: str, tmp_path: Path) -> None:
    run(tmp_path, program)
    verdict = why(tmp_path).verdict
    assert verdict["status"] == "established" and verdict["claim"]["cause"] == "num/log-of-zero"
    assert verdict["cost"]["runs"] >= 2
    runs = [f for f in Path(verdict["case"]).glob("recordings/*") if f.name != "base"]
    assert 0 < max(len(recording.read(f).steps) for f in runs) < 300
    assert any("experiments begin from the state that the run kept after" in note for note in verdict["notes"])
    assert any(e["run"] == "from-kept-state" for e in verdict["evidence"])
    # The run itself is still the one that is judged: the symptom is at its own step.
    assert verdict["symptoms"][0]["step"] > 500


def test_nothing_is_run_when_no_experiments_are_wanted(tmp_path: Path) -> None:
    run(tmp_path, loader())
    verdict = why(tmp_path, "--no-experiments").verdict
    assert verdict["cost"]["runs"] == 0 and not verdict["experiments"]
    assert verdict["symptoms"][0]["id"] == "loss-nonfinite"


def test_a_failure_that_does_not_come_back_is_judged_from_its_recording(tmp_path: Path) -> None:
    run(tmp_path, COUNTED)
    verdict = why(tmp_path).verdict
    assert verdict["cost"]["runs"] == 1 and not verdict["experiments"]
    assert any(n.startswith("not reproduced from the kept state: ") for n in verdict["notes"])
    assert verdict["symptoms"][0]["id"] == "loss-nonfinite"


def test_a_program_that_has_changed_since_is_not_mistaken_for_the_one_that_ran(tmp_path: Path) -> None:
    run(tmp_path, SAMPLED)
    (tmp_path / "train.py").write_text(SAMPLED.replace("8, 16", "8, 24").replace("16, 1", "24, 1"))
    (note,) = [n for n in why(tmp_path).verdict["notes"] if n.startswith("not reproduced")]
    assert "other shapes" in note


def test_why_no_state_was_kept_is_said(tmp_path: Path) -> None:
    run(tmp_path, SAMPLED, disk=1000)
    verdict = why(tmp_path).verdict
    assert verdict["cost"]["runs"] == 0
    assert any(n.startswith("no state was kept to go back to: a checkpoint takes") for n in verdict["notes"])


def test_the_command_line_can_do_without(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch")
    for options, kept in (((), True), (("--no-ring",), False)):
        stetho("run", *options, "--", sys.executable, "train.py", cwd=tmp_path)
        plan = max((tmp_path / ".stetho").glob("*/plan.json")).read_text()
        assert ('"ring": null' not in plan) is kept

"""Why nothing was recorded: one true sentence for each mechanism."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import environment, stetho
from stetho.attachment import INJECT, Python, Witness, arrivals, kept_out, why_not
from stetho.recording import Event, Recording, Step

STEP = Step(0, 0, ((0, 1.0),), (0.1,), 1.0, False, None, None, None)
TRAIN = ("python", "train.py")


def reached(folder: Path, *words: str, pid: int = 1) -> Python:
    with (folder / "arrivals.log").open("a") as log:
        log.write(json.dumps({"pid": pid, "by": "path", "words": words}) + "\n")
    return Python(words, pid, INJECT, planned=True)


def attached(*events: Event, **more: object) -> Recording:
    return Recording(events=events, attached=True, **more)  # type: ignore[arg-type]


def test_a_run_with_steps_needs_no_reason(tmp_path: Path) -> None:
    assert why_not(attached(steps=(STEP,)), tmp_path, TRAIN, (), "an error in some other process") == ""


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        (("python", "-I", "train.py"), "I"),
        (("python3.11", "-uE", "-m", "train", "-I"), "uE"),
        (("python", "-W", "ignore", "-Xdev", "-X", "frozen_modules=off", "-s", "t.py"), "s"),
        (("python", "-Wignore", "-Bc", "pass", "-E"), "B"),
        (("python", "train.py", "-I"), ""),
        (("python", "-", "-E"), ""),
        (("python", "--version"), ""),
        (("python",), ""),
    ],
)
def test_options_end_where_the_program_begins(words: tuple[str, ...], flags: str) -> None:
    assert Python(words).flags == flags


@pytest.mark.parametrize(
    ("python", "reason"),
    [
        (Python(("python", "-I", "t.py"), 1, INJECT, True), "with -I, so the observer was not loaded (python -I t.py)"),
        (Python(("python", "-E", "t.py"), 1, None, True), "stetho run --install-hook python lets it in"),
        (Python(("python", "-S", "t.py"), 1, INJECT, True), "with -S, which no observer gets past"),
        (Python(TRAIN, 1, None, False), "without STETHO_PLAN, as env -i or sudo make it"),
        (Python(TRAIN, 1, "/mine", True), "with PYTHONPATH set to '/mine', so the observer was not loaded"),
        (Python(TRAIN, 1, None, True), "with PYTHONPATH cleared"),
    ],
)
def test_each_way_of_being_kept_out_is_named(python: Python, reason: str) -> None:
    assert reason in kept_out(python)


def test_a_sitecustomize_in_front_of_the_observers_is_named(write) -> None:
    own = write("own/sitecustomize.py", "").parent
    python = Python(TRAIN, 1, os.pathsep.join([str(own), INJECT]), True)
    assert f"the sitecustomize.py in '{own}' comes before the observer's" in kept_out(python)
    assert kept_out(Python(TRAIN, 1, os.pathsep.join([INJECT, str(own)]), True)) == ""


def test_nothing_known_keeps_out_a_python_that_has_all_it_needs() -> None:
    assert kept_out(Python(TRAIN, 1, f"{INJECT}{os.pathsep}/mine", True)) == ""
    assert kept_out(Python(TRAIN, 1, None, None)) == ""


def test_an_error_of_the_observer_comes_first(tmp_path: Path) -> None:
    error = "Traceback\nSyntaxError: bad\n"
    assert why_not(Recording(), tmp_path, TRAIN, (), error) == "the observer failed as it started: SyntaxError: bad"
    record = attached(faults=("boom in step",))
    assert why_not(record, tmp_path, TRAIN, ()) == "the observer switched itself off: boom in step"


def test_without_any_python(tmp_path: Path) -> None:
    assert "no Python was seen to be started by './train'" in why_not(Recording(), tmp_path, ("./train", "-x"), ())
    unseen = "no Python that the command started loaded the observer"
    assert why_not(Recording(), tmp_path, ("./train",), None) == unseen


def test_a_flag_of_the_command_itself_needs_no_witness(tmp_path: Path) -> None:
    assert "started with -I" in why_not(Recording(), tmp_path, ("/opt/bin/python3", "-I", "t.py"), None)
    assert "--install-hook /opt/bin/python3" in why_not(Recording(), tmp_path, ("/opt/bin/python3", "-I", "t.py"), None)


def test_python_without_torch(tmp_path: Path) -> None:
    one = reached(tmp_path, "python", "train.py")
    assert why_not(Recording(), tmp_path, TRAIN, (one,)) == (
        "Python was started once and never imported torch (python train.py)"
    )
    reached(tmp_path, "python", "-m", "pip", pid=2)
    assert "started 2 times" in why_not(Recording(), tmp_path, TRAIN, (one,))


def test_a_launcher_that_was_reached_and_a_child_that_was_not(tmp_path: Path) -> None:
    launcher = reached(tmp_path, "python", "launch.py")
    child = Python(("python", "train.py"), 9, "/mine", True)
    reason = why_not(Recording(), tmp_path, ("python", "launch.py"), (launcher, child))
    assert "never imported torch (python launch.py), and a Python was started with PYTHONPATH set to '/mine'" in reason


def test_torch_without_steps(tmp_path: Path) -> None:
    one = reached(tmp_path, "python", "train.py")
    assert why_not(attached(), tmp_path, TRAIN, (one,)) == (
        "torch was imported, but no torch optimizer was made (0 backward calls were seen)"
    )
    made = Event("optimizer", {"name": "Adam"}), Event("backward", {}), Event("optimizer", {"name": "SGD"})
    assert why_not(attached(*made), tmp_path, TRAIN, (one,)) == (
        "torch was imported, but of the optimizers made (Adam, SGD) none stepped (1 backward calls were seen)"
    )


def test_a_forked_child_of_an_observed_python_is_no_riddle(tmp_path: Path) -> None:
    parent = reached(tmp_path, "python", "train.py")
    forked = Python(parent.words, 2, parent.path, parent.planned)
    assert why_not(Recording(), tmp_path, TRAIN, (parent, forked)).endswith("never imported torch (python train.py)")


def test_marks_that_make_no_sense_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "arrivals.log").write_text('{"pid": 1, "words": ["python"]}\n[]\n{"pid"\n{"pid": "x", "words": []}\n')
    assert [p.pid for p in arrivals(tmp_path)] == [1]
    assert arrivals(tmp_path / "nowhere") == ()


def test_a_witness_sees_flags_and_variables_from_outside() -> None:
    variables = {**environment(), "PYTHONPATH": "/mine", "STETHO_PLAN": "plan"}
    code = "print(flush=True); input()"
    child = subprocess.Popen(
        [sys.executable, "-E", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables
    )
    assert child.stdin and child.stdout and child.stdout.readline()
    with Witness() as witness:
        witness.look()
    child.communicate(b"\n")
    assert Python((sys.executable, "-E", "-c", code), child.pid, "/mine", True) in witness.pythons


def test_a_child_that_has_not_become_a_program_yet_is_not_taken_for_one() -> None:
    child = os.fork()
    if not child:
        signal.pause()
        os._exit(0)
    try:
        with Witness() as witness:
            witness.look()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert child not in [python.pid for python in witness.pythons]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["python", "-I", "train.py"], "a Python was started with -I"),
        (["sh", "-c", "PYTHONPATH=/mine python train.py; true"], "a Python was started with PYTHONPATH set to '/mine'"),
        (["env", "-i", sys.executable, "train.py"], "a Python was started in an environment without STETHO_PLAN"),
        (["true"], "no Python was seen to be started by 'true'"),
        (["python", "-c", "pass"], "Python was started once and never imported torch (python -c pass)"),
    ],
)
def test_why_says_what_kept_the_observer_out(command: list[str], reason: str, write, tmp_path: Path) -> None:
    write("train.py", "import torch\n")
    answer = stetho("why", "--json", "--", *command, cwd=tmp_path)
    assert answer.code == 3, answer.err
    assert reason in next(e["summary"] for e in answer.verdict["evidence"] if e["kind"] == "observation")
    assert not answer.verdict["symptoms"]

"""`stetho run` as a user meets it: the program's own output, code and signals, and a case in the end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import environment, stetho
from running import CAREFUL, STETHO, end, evidence, loop, recorded, wait_for


@pytest.fixture
def start(tmp_path: Path):
    """Start stetho in the background, in a process group of its own."""
    begun: list[subprocess.Popen[bytes]] = []

    def starter(*arguments: str) -> subprocess.Popen[bytes]:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        begun.append(
            subprocess.Popen(
                [*STETHO, *arguments], cwd=tmp_path, env=environment(), start_new_session=True, **pipes
            )
        )  # fmt: skip
        return begun[-1]

    yield starter
    for process in begun:
        end(process.pid)
        process.communicate()


NOISY = (
    loop(30)
    + """
import os, random
out, err = sys.stdout.buffer, sys.stderr.buffer
for i in range(50):
    out.write(b"half a line \\xff\\x1b[31m"); out.flush()
    err.write(b"\\r%d it/s" % i); err.flush()
print(sorted(k for k in os.environ if k.startswith(("PYTHON", "WANDB", "MLFLOW")) and k != "PYTHONPATH"))
print(sys.flags.hash_randomization, sys.stdin.read(), sys.argv)
sys.exit(3)
"""
)


def test_output_input_environment_and_code_are_the_programs_own(write, tmp_path: Path) -> None:
    script = write("train.py", NOISY)
    command = [sys.executable, str(script), "--lr", "3e-4"]
    plain, observed = (
        subprocess.run([*before, *command], cwd=tmp_path, input=b"an answer", capture_output=True, env=environment())
        for before in ([], [*STETHO, "run", "-q", "--"])
    )
    assert (observed.returncode, observed.stdout, observed.stderr) == (3, plain.stdout, plain.stderr)
    plan = json.loads(next(tmp_path.glob(".stetho/*/plan.json")).read_text())
    assert plan["seed"] is None and plan["changes"] == []
    assert len(recorded(tmp_path)) == 1


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137), ("kill -TERM $$", 143)]
)
def test_the_exit_code_is_the_commands(script: str, code: int, tmp_path: Path) -> None:
    assert stetho("run", "--", "sh", "-c", script, cwd=tmp_path).code == code


def test_a_summary_and_a_case_to_go_on_with(write, tmp_path: Path) -> None:
    write("train.py", loop(60))
    answer = stetho("run", "--", "python", "train.py", cwd=tmp_path)
    assert answer.code == 0 and answer.out == ""
    first, last = answer.err.splitlines()
    assert re.match(r"stetho: 60 steps in .*, exit code 0; .* per step.*; loss \S+ -> \S+$", first)
    assert last == "stetho: go on with: stetho why .stetho/0001-train"
    judged = stetho("why", ".stetho/0001-train", "--json", cwd=tmp_path)
    assert judged.verdict["cost"]["runs"] == 0 and judged.verdict["target"]["seed"] is None
    assert {"run-end", "loss-curve"} <= {e["fact"] for e in judged.verdict["evidence"]}
    assert [c["status"] for c in json.loads(stetho("cases", "--json", cwd=tmp_path).out)] == [judged.verdict["status"]]


def test_silence_is_said_with_its_reason(tmp_path: Path) -> None:
    answer = stetho("run", "--", "true", cwd=tmp_path)
    assert answer.code == 0 and "no step was recorded, which says nothing about health" in answer.err


def test_a_nan_is_said_at_once_and_ends_the_whole_tree_when_asked(write, tmp_path: Path) -> None:
    script = write("train.py", loop(None, bad=30))
    write("run.sh", f"{sys.executable} {script}\n")
    answer = stetho("run", "--stop-on", "nan,stall", "--", "bash", "run.sh", cwd=tmp_path)
    assert answer.code == 143
    lines = answer.err.splitlines()
    line = 1 + loop(None, 30).splitlines().index("    loss.backward()")
    assert lines[0] == f"stetho: step 30: loss is nan (train.py:{line})"
    assert evidence(tmp_path, "run-end")[0]["summary"].endswith("stopped at a NaN, as asked")
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(script) not in running


def test_a_stall_ends_the_run_when_asked(write, tmp_path: Path) -> None:
    write("train.py", loop(20) + "import signal\nsignal.pause()\n")
    answer = stetho("run", "--stop-on", "stall", "--stall-after", "1s", "--", "python", "train.py", cwd=tmp_path)
    assert answer.code == 143 and "no step for" in answer.err and "the limit is 1 s" in answer.err


@pytest.mark.parametrize("name", ["TERM", "INT", "HUP", "USR1"])
def test_signals_reach_the_program(name: str, write, start) -> None:
    write("careful.py", CAREFUL.format(name=name))
    process = start("run", "--", sys.executable, "careful.py")
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    process.send_signal(getattr(signal, f"SIG{name}"))
    out, _ = process.communicate(timeout=60)
    assert (out, process.returncode) == (b"got 1\n", 9)


def test_a_killed_program_leaves_a_case(write, start, tmp_path: Path) -> None:
    write("train.py", loop(None))
    process = start("run", "--", sys.executable, "train.py")
    file = wait_for(lambda: recorded(tmp_path))[0]
    os.kill(int(file.stem.split("-")[1]), signal.SIGKILL)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 137 and b"ended by SIGKILL" in err
    end = evidence(tmp_path, "run-end")[0]["data"]
    assert end["signal"] == "SIGKILL" and end["steps"] > 0
    # The numbers of a long curve are in the case and not in the document.
    assert evidence(tmp_path, "loss-curve")[0]["summary"].startswith("loss ")


def test_a_killed_stetho_leaves_the_program_running_and_a_case_that_grows(write, start, tmp_path: Path) -> None:
    write("train.py", loop(None))
    process = start("run", "--", sys.executable, "train.py")
    file = wait_for(lambda: recorded(tmp_path))[0]
    process.kill()
    process.wait()
    first = evidence(tmp_path, "run-end")[-1]
    assert first["data"]["stopped_by"] == "unfinished" and "how it ended is not known" in first["summary"]
    size = file.stat().st_size
    wait_for(lambda: file.stat().st_size > size)
    assert evidence(tmp_path, "run-end")[-1]["data"]["steps"] > first["data"]["steps"]


def test_a_case_that_is_lost_costs_the_program_nothing(write, tmp_path: Path) -> None:
    write("train.py", loop(20) + "import shutil\nshutil.rmtree('.stetho')\nprint('fine')\nsys.exit(5)\n")
    answer = stetho("run", "--", "python", "train.py", cwd=tmp_path)
    assert answer.code == 5 and answer.out == "fine\n"
    assert "the case is not complete" in answer.err and "Traceback" not in answer.err


def test_a_traceback_in_a_log_file_becomes_evidence(write, tmp_path: Path) -> None:
    write("train.py", "import torch\ncfg = {}\ncfg['lr']\n")
    log = write("run.log", "what was there before\n")
    with log.open("ab") as out:
        done = subprocess.run(
            [*STETHO, "run", "--", sys.executable, "train.py"], cwd=tmp_path, stdout=out, stderr=out, env=environment()
        )
    assert done.returncode == 1
    answer = stetho("why", "last", "--json", cwd=tmp_path)
    assert answer.code == 1 and answer.verdict["claim"]["where"][0]["line"] == 3
    assert answer.verdict["cost"]["runs"] == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("run",), "give the command after --"),
        (("run", "--", "no-such-program"), "cannot run 'no-such-program'"),
        (
            ("run", "--stop-on", "nan,boredom", "--", "true"),
            "--stop-on knows nan, stall, divergence, and not 'boredom'",
        ),
        (("run", "--stall-after", "soon", "--", "true"), "'soon' is no duration"),
        (("run", "--attach", "4711"), "a process that runs already cannot be observed"),
        (("run", "--attach", "nowhere"), "there is no case 'nowhere'"),
        (("run", "--attach", "/"), "'/' holds no recording of a run"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    answer = stetho(*arguments, cwd=tmp_path)
    assert (answer.code, answer.out) == (2, "") and says in answer.err and answer.err.count("\n") == 1
    assert not (tmp_path / ".stetho").exists()


def test_a_recording_of_somebody_elses_is_followed_to_its_end(tmp_path: Path) -> None:
    steps = {"e": "steps", "o": 0, "i": 0, "n": 2, "loss": [[[0, 2.0]], [[0, "nan"]]], "g": [1.0, "nan"], "dt": [1, 1]}
    file = tmp_path / "r0-4194305.jsonl"  # beyond the largest process id
    file.write_text(json.dumps(steps) + "\n")
    os.utime(file, (0, 0))
    answer = stetho("run", "--attach", str(tmp_path), cwd=tmp_path)
    assert answer.code == 0 and "step 1: loss is nan" in answer.err and "the run is over" in answer.err


UNSURE = """
import torch
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.01)
class Doubling(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = model
    def forward(self, x):
        return self.inner(x.mul_(2))
doubling = Doubling()
for step in range(12):
    loss = torch.log(doubling(torch.randn(4, 3)).square() * (step != 8)).mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""


def test_a_nan_whose_origin_was_not_found_is_said_with_the_reason(write, tmp_path: Path) -> None:
    write("train.py", UNSURE)
    answer = stetho("run", "--", "python", "train.py", cwd=tmp_path)
    assert "stetho: where it came from was not found: the model changes its input in place\n" in answer.err

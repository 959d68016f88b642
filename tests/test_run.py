"""`stetho run` as a user meets it: the program's own output, code, signals and terminal, and a case in the end."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from conftest import environment, stetho

STETHO = [sys.executable, "-m", "stetho"]
LOOP = """
import itertools, sys
import torch
model = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for step in {steps}:
    x = torch.randn(8, 4)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    if step >= {bad}:
        loss = loss * float("nan")
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def loop(steps: int | None = 40, bad: float = 10**9) -> str:
    return LOOP.format(steps="itertools.count()" if steps is None else f"range({steps})", bad=bad)


def wait_for(condition, seconds: float = 120.0):
    """What the condition gives once it gives something."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        os.sched_yield()
    return found


def end(group: int) -> None:
    """Nothing that a test has started outlives it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


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


def recorded(folder: Path) -> list[Path]:
    """The files in which steps have been written by now."""
    return [f for f in folder.glob(".stetho/*/recordings/base/r*.jsonl") if b'"e":"step' in f.read_bytes()]


def evidence(folder: Path, fact: str) -> list[dict]:
    shown = json.loads(stetho("why", "last", "--json", cwd=folder).out)
    return [e for e in shown["evidence"] if e["fact"] == fact]


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


CAREFUL = """
import signal, sys
got = []
signal.signal(signal.SIG{name}, lambda number, frame: got.append(number))
print("ready", flush=True)
while not got:
    signal.pause()
print("got", len(got), flush=True)
sys.exit(9)
"""


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
    assert evidence(tmp_path, "run-end")[0]["data"]["signal"] == "SIGKILL"
    assert len(evidence(tmp_path, "loss-curve")[0]["data"]["values"]) > 0


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


class Terminal:
    """A terminal with stetho in it."""

    def __init__(self, *arguments: str, cwd: Path, columns: int) -> None:
        self.seen = b""
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            self.descriptor = 0
            self.resize(20, columns)
            os.chdir(cwd)
            os.execvpe(sys.executable, [*STETHO, *arguments], {**environment(), "TERM": "xterm", "LANG": "C.UTF-8"})

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, until: bytes | None = None) -> bytes:
        """Everything up to the end, or up to some text."""
        while until is None or until not in self.seen:
            ready, _, _ = select.select([self.descriptor], [], [], 120)
            assert ready, self.seen
            try:
                data = os.read(self.descriptor, 65536)
            except OSError:
                break
            if not data:
                break
            self.seen += data
        return self.seen

    def end(self) -> int:
        self.read()
        return self.wait()

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
        self.descriptor = -1

    def wait(self) -> int:
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)


@pytest.fixture
def open_terminal(tmp_path: Path):
    """Start stetho in a terminal of 20 rows."""
    opened: list[Terminal] = []

    def opener(*arguments: str, columns: int = 70) -> Terminal:
        opened.append(Terminal(*arguments, cwd=tmp_path, columns=columns))
        return opened[-1]

    yield opener
    for terminal in opened:
        terminal.close()
        if terminal.pid:
            end(terminal.pid)
            terminal.wait()


def text(seen: bytes) -> str:
    """What the program wrote: without the drawing of the status line."""
    drawn = re.sub(rb"\x1bD\x1b\[A|\x1b7.*?\x1b8", b"", seen, flags=re.DOTALL)
    return drawn.decode().replace("\r\n", "\n")


ON_A_TERMINAL = """
import os, sys
print([os.isatty(i) for i in range(3)], tuple(os.get_terminal_size(1)), os.getpgrp() == os.tcgetpgrp(0), flush=True)
for i in range(30):
    sys.stderr.write(f"\\r{i}% \\u2588\\x1b[1m#\\x1b[0m"); sys.stderr.flush()
print()
answer = input("how many? ")
print("answered", answer, flush=True)
sys.exit(4)
"""


def test_on_a_terminal_the_program_has_one_and_a_status_line_below(write, open_terminal) -> None:
    write("asks.py", ON_A_TERMINAL)
    terminal = open_terminal("run", "--", sys.executable, "asks.py")
    terminal.read(b"how many? ")
    terminal.read(b"no torch yet")
    os.write(terminal.descriptor, b"5\n")
    code = terminal.end()
    shown = text(terminal.seen)
    assert code == 4
    assert shown.startswith("[True, True, True] (70, 19) True\n")
    assert "".join(f"\r{i}% \u2588\x1b[1m#\x1b[0m" for i in range(30)) in shown
    assert "answered 5\nstetho: " in shown
    assert b"\x1b[1;19r\x1b[20;1H" in terminal.seen
    # The scrolling region is the whole screen again, and nothing is drawn after that.
    assert b"\x1b7" not in terminal.seen.rpartition(b"\x1b7\x1b[r\x1b[20;1H\x1b[2K\x1b8")[2]


def test_a_terminal_that_is_closed_ends_the_program(write, open_terminal, tmp_path: Path) -> None:
    write("train.py", loop(None))
    terminal = open_terminal("run", "--", sys.executable, "train.py")
    wait_for(lambda: recorded(tmp_path))
    terminal.close()
    assert terminal.wait() == 128 + signal.SIGHUP
    assert evidence(tmp_path, "run-end")[0]["data"]["signal"] == "SIGHUP"


def test_quiet_on_a_terminal_is_the_plain_program(open_terminal) -> None:
    terminal = open_terminal("run", "-q", "--", "sh", "-c", "echo $(stty size); exit 6")
    assert terminal.end() == 6 and terminal.seen == b"20 70\r\n"


def test_ctrl_c_interrupts_the_program_once(write, open_terminal, tmp_path: Path) -> None:
    write("careful.py", CAREFUL.format(name="INT"))
    terminal = open_terminal("run", "--", sys.executable, "careful.py")
    terminal.read(b"ready")
    os.write(terminal.descriptor, b"\x03")
    assert terminal.end() == 9
    assert "got 1\n" in text(terminal.seen)
    assert evidence(tmp_path, "run-end")[0]["data"]["stopped_by"] == "interrupt"


RESIZED = """
import os, signal
sizes = []
signal.signal(signal.SIGWINCH, lambda number, frame: sizes.append(os.get_terminal_size(1)))
print("ready", flush=True)
while os.terminal_size((50, 9)) not in sizes:
    signal.sigtimedwait([signal.SIGUSR2], 0.05)
print("resized", flush=True)
"""


def test_a_new_size_of_the_terminal_is_passed_on(write, open_terminal) -> None:
    write("sized.py", RESIZED)
    terminal = open_terminal("run", "--", sys.executable, "sized.py")
    terminal.read(b"ready")
    terminal.read(b"no torch yet")
    terminal.resize(10, 50)
    assert terminal.end() == 0 and "resized" in text(terminal.seen)
    assert b"\x1b[1;9r\x1b[10;1H" in terminal.seen


def test_the_status_follows_the_run(write, open_terminal) -> None:
    write("train.py", loop(None))
    terminal = open_terminal("run", "--", sys.executable, "train.py", columns=120)
    terminal.read(b"steps/s")
    os.write(terminal.descriptor, b"\x03")
    assert terminal.end() == 130
    lines = [m.decode() for m in re.findall(rb"stetho  step [^\x1b]*", terminal.seen)]
    assert any(re.match(r"stetho  step \d+  loss \S+ [▁-█]+  grad \S+  \S+ steps/s", one) for one in lines), lines


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

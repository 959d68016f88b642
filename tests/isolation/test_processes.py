"""A run ends whole, says how it ended, and leaves no process behind, whoever ends it and however."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from conftest import environment
from isolation.rooms import look, project, run
from running import STETHO, wait_for
from stetho.executors import local
from stetho.scratch import Way, sweep

# Leaves its session and its parent, is deaf to polite requests, and would write later.
DAEMON = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGHUP, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for _ in range(3): os.fork()
        while True: open(os.environ["STETHO_TEST_TOKEN"], "a").write("x"); time.sleep(0.01)
    os._exit(0)
os.wait()
while not os.path.exists(os.environ["STETHO_TEST_TOKEN"]): time.sleep(0.01)
"""
WAYS = {
    "namespace": Way(True, True),
    "guardian": Way(True, False),
    "copy": Way(False, True),
    "plain": Way(False, False),
}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Way:
    monkeypatch.setattr(local, "ways", lambda job: [request.param])
    return request.param


@pytest.fixture
def token() -> str:
    return f"token-{uuid.uuid4().hex}"


def alive(token: str) -> list[psutil.Process]:
    """Processes that were started with the token in their environment, and are not dead yet."""
    found = []
    for process in psutil.process_iter():
        try:
            if token in process.environ().values() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


@pytest.mark.parametrize(
    ("code", "ends"),
    [
        ("raise SystemExit(7)", (7, None)),
        ("import os; os.kill(os.getpid(), 11)", (None, "SIGSEGV")),
        ("import os; os.kill(os.getpid(), 9)", (None, "SIGKILL")),
        ("import os, signal; signal.signal(15, lambda n, f: os._exit(3)); os.killpg(0, 15)", (3, None)),
    ],
)
def test_the_end_is_the_commands_own(way: Way, code: str, ends: tuple[int | None, str | None], tmp_path: Path) -> None:
    ran = run(tmp_path, code)
    assert (ran.code, ran.signal) == ends and ran.stopped_by is None
    ran.discard()


def test_a_command_that_cannot_be_started(way: Way, tmp_path: Path) -> None:
    ran = run(tmp_path, ["./nothing-here"])
    assert ran.code == 127 and "cannot start ./nothing-here" in ran.output.read_text()
    ran.discard()


def test_what_outlives_the_command_ends_with_it(way: Way, tmp_path: Path, token: str) -> None:
    ran = run(tmp_path, DAEMON, STETHO_TEST_TOKEN=token)
    assert ran.code == 0, ran.output.read_text()
    assert not alive(token) and list(tmp_path.iterdir()) == []
    ran.discard()


def test_a_run_that_is_stopped_ends_whole(way: Way, tmp_path: Path, token: str) -> None:
    code = DAEMON + "while True: time.sleep(1)"
    ran = run(tmp_path, code, watch=lambda p: "symptom" if len(alive(token)) > 6 else None, STETHO_TEST_TOKEN=token)
    assert (ran.code, ran.signal, ran.stopped_by) == (None, None, "symptom")
    assert not alive(token)
    ran.discard()


def test_too_much_memory_ends_a_run(way: Way, tmp_path: Path) -> None:
    code = """
import os, time
if os.fork() == 0: held = b"x" * 150_000_000
time.sleep(60)
"""
    ran = run(tmp_path, code, memory=120_000_000)
    assert ran.stopped_by == "memory" and ran.seconds < 30
    ran.discard()


@pytest.fixture
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="stetho-test-", dir="/var/tmp") as folder:
        yield Path(folder)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "kill-9"])
@pytest.mark.parametrize("form", [[], ["--in-copy"]], ids=["overlay", "copy"])
def test_nothing_is_left_when_stetho_is_ended(
    number: signal.Signals, form: list[str], tmp_path: Path, scratch: Path, token: str
) -> None:
    folder = project(tmp_path / "project")
    (folder / "train.py").write_text(DAEMON + "open('best.pt', 'w').write('x')\nos.system('rm -rf runs')\n")
    with (folder / "train.py").open("a") as file:
        file.write("print('in the middle', flush=True)\nwhile True: time.sleep(1)\n")
    before = look(folder)
    command = [*STETHO, "why", "--case", str(tmp_path / "cases"), *form, "--", sys.executable, "train.py"]
    variables = {**environment(), "STETHO_SCRATCH": str(scratch), "STETHO_TEST_TOKEN": token}
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, env=variables, start_new_session=True)
    wait_for(lambda: any(b"in the middle" in f.read_bytes() for f in scratch.glob("stetho-*/output.txt")))
    os.kill(process.pid, number)
    assert process.wait(60) == (130 if number == signal.SIGINT else -9)
    wait_for(lambda: not alive(token))
    assert look(folder) == before
    # What a kill leaves, the next run sweeps away.
    subprocess.run([*command[:-3], "--", "true"], cwd=folder, env=variables, capture_output=True)
    assert list(scratch.iterdir()) == []


def test_a_scratch_is_swept_when_its_owner_is_gone(scratch: Path) -> None:
    import fcntl

    gone = subprocess.Popen(["true"])
    gone.wait()
    held, left = (scratch / f"stetho-{gone.pid}-{name}" for name in ("held", "left"))
    for folder in (held, left):
        folder.mkdir()
        (folder / "owned").touch()
    # In another container the owner has another number, and still holds the lock.
    with (held / "owned").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sweep(str(scratch))
        assert list(scratch.iterdir()) == [held]
    sweep(str(scratch))
    assert list(scratch.iterdir()) == []


def test_two_who_sweep_at_once_do_not_trip_over_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one of them is about to open, the other has thrown away."""
    dead = subprocess.Popen(["true"])
    dead.wait()
    for number in range(3):
        (tmp_path / f"stetho-{dead.pid}-{number}" / "root" / "home").mkdir(parents=True)

    def gone(path: str, mode: int) -> None:
        raise FileNotFoundError(path)

    monkeypatch.setattr(os, "access", lambda path, mode, **_: mode == os.W_OK)
    monkeypatch.setattr(os, "chmod", gone)
    sweep(str(tmp_path))
    assert list(tmp_path.iterdir()) == []

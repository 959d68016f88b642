"""Real processes in every state, looked at as a user would."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from stetho.facts import (
    CheckpointFiles,
    Disks,
    LogTail,
    Processes,
    PythonPackages,
    ResourceLimits,
    SchedulerJob,
    Waiting,
)

from .looking import fact, fired, look, program, silent, state_of, until

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

BUSY = "print('ready')\nwhile True: pass"
SLEEPS = "print('ready')\ntime.sleep(1000)"


def test_a_busy_program_is_the_trainer_and_nothing_is_worth_a_look(tmp_path: Path) -> None:
    text = "log = open('run.log', 'w', buffering=1)\nprint('step 1', file=log)\n" + BUSY
    with program(tmp_path, text, "--hf-token", "hf_abcdefghijklmnopqrstuvwx") as running:
        report = look(tmp_path)
    found = fact(report, Processes)
    (one,) = found.processes
    assert (one.pid, one.role, one.files) == (running.pid, "trainer", ("run.log",))
    assert one.state == "running" and one.cores is not None and one.cores > 0.1
    assert one.command[-2:] == ("--hf-token", "[redacted]")
    assert "hf_abc" not in repr(report)
    assert report.family == (running.pid,)
    assert fired(report) == set()
    assert not any(one.fact == "waiting" for one in report.evidence)


def test_a_zombie_is_seen_with_the_parent_that_does_not_notice(tmp_path: Path) -> None:
    text = "child = os.fork()\nif not child: os._exit(3)\nprint('ready')\ntime.sleep(1000)"
    with program(tmp_path, text) as running:
        (child,) = psutil.Process(running.pid).children()
        until(lambda: state_of(child.pid) == "Z")
        report = look(tmp_path)
    states = {one.pid: one.state for one in fact(report, Processes).processes}
    assert states == {running.pid: "sleeping", child.pid: "zombie"}
    assert "process-dead" in fired(report)


def test_a_stopped_process_is_told_with_the_way_to_continue_it(tmp_path: Path) -> None:
    with program(tmp_path, BUSY) as running:
        os.kill(running.pid, signal.SIGSTOP)
        until(lambda: state_of(running.pid) == "T")
        report = look(tmp_path)
    (finding,) = [one for one in report.findings if one.check == "process-stopped"]
    assert f"kill -CONT {running.pid}" in finding.message


def test_a_process_that_waits_on_a_pipe_for_minutes_is_hung(tmp_path: Path) -> None:
    silent(tmp_path, 600)
    with program(tmp_path, "r, w = os.pipe()\nprint('ready')\nos.read(r, 1)") as running:
        report = look(tmp_path)
    found = fact(report, Waiting)
    assert found.pid == running.pid and found.threads[0].waits_for == "data in a pipe"
    assert found.quiet is not None and 590 < found.quiet < 700
    assert "hung-waiting" in fired(report)


def test_the_same_wait_just_after_a_line_of_output_is_no_alarm(tmp_path: Path) -> None:
    silent(tmp_path, 1)
    with program(tmp_path, "r, w = os.pipe()\nprint('ready')\nos.read(r, 1)"):
        report = look(tmp_path)
    assert fact(report, Waiting).threads[0].waits_for == "data in a pipe"
    assert fired(report) == set()


def test_a_deadlock_names_the_lock_and_a_sleep_the_sleep(tmp_path: Path) -> None:
    silent(tmp_path, 600)
    text = (
        "held = threading.Lock(); held.acquire()\n"
        "threading.Thread(target=lambda: time.sleep(1000), daemon=True).start()\nprint('ready')\nheld.acquire()"
    )
    with program(tmp_path, text) as running:
        report = look(pid=running.pid)
    main, other = fact(report, Waiting).threads
    assert main.thread == running.pid and main.waits_for == "a lock or a signal of another thread"
    assert other.waits_for == "time to pass (sleep)"
    assert report.folder == str(tmp_path)
    assert "hung-waiting" in fired(report)


def test_the_same_command_twice_is_told_and_its_own_children_are_not(tmp_path: Path) -> None:
    starts = "import subprocess\n" + SLEEPS
    with program(tmp_path, starts):
        # Two shells, as two terminals would be.
        shells = [
            subprocess.Popen(["sh", "-c", f"{sys.executable} -u train.py; true"], cwd=tmp_path, stdout=subprocess.PIPE,
                             start_new_session=True)
            for _ in range(2)
        ]  # fmt: skip
        try:
            for shell in shells:
                assert shell.stdout is not None and shell.stdout.readline() == b"ready\n"
            report = look(tmp_path)
        finally:
            for shell in shells:
                os.killpg(shell.pid, signal.SIGKILL)
                shell.communicate()
    assert "several-instances" in fired(report)


def test_loader_workers_are_known_and_no_second_instance(tmp_path: Path) -> None:
    text = "for _ in range(2):\n    if not os.fork(): time.sleep(1000)\nprint('ready')\nwhile True: pass"
    with program(tmp_path, text):
        report = look(tmp_path)
    assert sorted(one.role for one in fact(report, Processes).processes) == ["trainer", "worker", "worker"]
    assert fact(report, ResourceLimits).loaders == 2
    assert fired(report) == set()


def test_a_process_that_is_gone_is_no_mistake_of_the_users(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    report = look(tmp_path, ended.pid)
    assert fact(report, Processes).gone
    assert fired(report) == {"process-dead"}
    # Without a folder, whose it was cannot be known any more.
    gaps = [gap.what for section in look(pid=ended.pid).sections for gap in section.unknown]
    assert f"folder of pid {ended.pid}" in gaps


def test_ranks_and_restarts_are_read_from_the_environment_without_its_secrets(tmp_path: Path) -> None:
    told = {"RANK": "0", "WORLD_SIZE": "4", "LOCAL_WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "x"}
    with program(tmp_path, BUSY, **told, TORCHELASTIC_RESTART_COUNT="2", WANDB_API_KEY="0123456789abcdef"):
        report = look(tmp_path)
    job = fact(report, SchedulerJob)
    assert (job.kind, job.restarts, job.ranks, job.local_world) == ("torchrun", 2, (0,), 2)
    assert "workers-restarted" in fired(report)
    assert "0123456789abcdef" not in repr(report)


def test_the_environment_of_the_process_is_read_without_an_import(tmp_path: Path) -> None:
    with program(tmp_path, BUSY):
        found = fact(look(tmp_path), PythonPackages)
    versions = {one.name: one.version for one in found.packages}
    assert "numpy" in versions and "torch" in versions
    assert found.misfits == () and found.python == sys.executable


def test_an_environment_in_the_folder_and_one_that_was_told(tmp_path: Path) -> None:
    site = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages"
    for name, version, tag in (("torch", "2.4.1+cpu", "linux_x86_64"), ("torchvision", "0.19.1", "manylinux1_x86_64")):
        folder = site / f"{name}-{version}.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (folder / "WHEEL").write_text(f"Wheel-Version: 1.0\nTag: cp311-cp311-{tag}\n")
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    report = look(tmp_path)
    assert "packages-do-not-fit" in fired(report)
    other = tmp_path / "elsewhere"
    other.mkdir()
    assert "packages-do-not-fit" in fired(look(other, python=tmp_path / ".venv"))
    assert "packages-do-not-fit" not in fired(look(other))


def test_the_log_and_the_checkpoints_of_a_dead_run(tmp_path: Path) -> None:
    silent(tmp_path, 4000, "metrics.csv", "step,loss\n1,2\n")
    silent(tmp_path, 4050, "train.log", "step 1\nRuntimeError: token=abcdef123456\n")
    (tmp_path / "last.ckpt").write_bytes(b"PK\0\0")
    (tmp_path / "loop").symlink_to(tmp_path)
    report = look(tmp_path)
    tail = fact(report, LogTail)
    assert tail.file == "train.log" and 4000 < tail.age < 4200 and not tail.growing
    assert tail.lines == ("step 1", "RuntimeError: token=[redacted]")
    assert [one.path for one in fact(report, CheckpointFiles).newest] == ["last.ckpt"]
    assert fired(report) == set()


def test_the_log_is_where_the_output_goes_wherever_that_is(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "notes.txt").write_text("not a log\n")
    (run / "requirements.txt").write_text("torch\n")
    opened = "log = os.open('../elsewhere.out', os.O_WRONLY | os.O_CREAT)"
    with program(run, f"{opened}\nprint('ready')\nos.dup2(log, 1)\nprint('step 7')\nwhile True: pass"):
        until(lambda: (tmp_path / "elsewhere.out").exists() and (tmp_path / "elsewhere.out").stat().st_size > 0)
        tail = fact(look(run), LogTail)
    assert (tail.file, tail.lines) == (str(tmp_path / "elsewhere.out"), ("step 7",))
    assert fact(look(run), LogTail).file == "notes.txt"


def test_nothing_is_written_and_nothing_is_held(tmp_path: Path) -> None:
    silent(tmp_path, 600)
    (tmp_path / "model.pt").write_bytes(b"PK\0")
    with program(tmp_path, "r, w = os.pipe()\nprint('ready')\nos.read(r, 1)") as running:
        before = {file.name: file.stat()[:7] + file.stat()[8:] for file in tmp_path.iterdir()}
        look(tmp_path, running.pid)
        after = {file.name: file.stat()[:7] + file.stat()[8:] for file in tmp_path.iterdir()}
        traced = Path(f"/proc/{running.pid}/status").read_text()
    assert before == after
    assert "TracerPid:\t0\n" in traced


def mounted(folder: Path, options: str, script: str) -> subprocess.CompletedProcess[str]:
    """stetho in a namespace where the folder is a small disk of its own."""
    mount = f"mount -t tmpfs -o {options} none {folder} && cd {folder} && {script}"
    return subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True, text=True, env=dict(os.environ))


def can_mount() -> bool:
    return shutil.which("unshare") is not None and mounted(Path("/mnt"), "size=1m", "true").returncode == 0


@pytest.mark.skipif(not can_mount(), reason="mounting is not allowed here")
def test_a_full_disk_and_a_read_only_one(tmp_path: Path) -> None:
    probe = f"{sys.executable} -m stetho probe -q ."
    full = mounted(tmp_path, "size=1m", f"head -c 1040000 /dev/zero > data; {probe}")
    assert "disk-nearly-full" in full.stdout and "tmpfs" in full.stdout
    empty = mounted(tmp_path, "size=1m", probe)
    assert "disk" not in empty.stdout
    locked = mounted(tmp_path, "size=1m", f"mount -o remount,ro {tmp_path} && {probe}")
    assert "folder-read-only" in locked.stdout


def test_room_and_growth_are_measured(tmp_path: Path) -> None:
    text = "f = open('out.bin', 'wb', buffering=0)\nprint('ready')\nwhile True: f.write(bytes(65536)); time.sleep(0.01)"
    with program(tmp_path, text):
        found = fact(look(tmp_path), Disks)
    assert found.growth is not None and found.growth > 65536
    assert [place.use for place in found.places] == ["run", "temporary"]
    assert all(place.kind and place.mount and place.total > place.free > 0 for place in found.places)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_users_process_is_unknown_and_the_way_to_see_it_is_told(tmp_path: Path) -> None:
    with program(tmp_path, SLEEPS) as running:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setgroups([])
                os.setgid(1000)
                os.setuid(1000)
                report = look(pid=running.pid)
                gaps = [f"{gap.what}|{gap.why}|{gap.instead}" for section in report.sections for gap in section.unknown]
                os.write(writing, "\n".join([*gaps, *fired(report)]).encode())
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as answers:
            told = answers.read()
        os.waitpid(child, 0)
    assert f"open files and libraries of pid {running.pid}|they belong to another user|sudo ls" in told
    assert "environment of the run|it belongs to another user|sudo cat" in told
    assert "the probe failed" not in told

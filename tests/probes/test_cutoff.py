"""What hangs is cut off, what fails is told, and neither holds up the others."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stetho import catalogue, probing
from stetho.catalogue import Catalogue
from stetho.cutoff import Answer, Job, run_all
from stetho.facts import Machine
from stetho.probe import Piece, Target, probe
from stetho.tool import ask

from .looking import fired, look, look_in_time, program, until


def hang() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    while True:
        signal.pause()


def test_answers_come_back_and_a_job_that_hangs_does_not_hold_them_up() -> None:
    def fail() -> None:
        raise ValueError("no such thing")

    begun = time.monotonic()
    answers = run_all(
        {
            "quick": Job(lambda: [1, "two", None], 5.0),
            "large": Job(lambda: "x" * 3_000_000, 5.0),
            "hangs": Job(hang, 0.3),
            "fails": Job(fail, 5.0),
            "dies": Job(lambda: os._exit(7), 5.0),
            "killed": Job(lambda: os.kill(os.getpid(), signal.SIGKILL), 5.0),
        }
    )
    assert time.monotonic() - begun < 4
    assert answers["quick"].value == [1, "two", None]
    assert answers["large"].value == "x" * 3_000_000
    assert answers["hangs"].cut_off and answers["hangs"].seconds >= 0.3
    assert answers["fails"].error == "ValueError: no such thing"
    assert answers["dies"].error == answers["killed"].error == "it ended without an answer"


def test_a_process_with_very_many_files_open_can_look_too() -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4096:
        pytest.skip("this many files are not allowed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1500)]
    try:
        assert run_all({"quick": Job(lambda: 1, 5.0)})["quick"].value == 1
    finally:
        for handle in held:
            os.close(handle)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_no_process_is_left_behind() -> None:
    started: list[Answer] = []
    before = set(os.listdir("/proc"))
    started += run_all({"hangs": Job(hang, 0.05), "quick": Job(os.getpid, 5.0)}).values()
    deadline = time.monotonic() + 30
    with pytest.raises(ChildProcessError):
        # What was killed may need a moment until it can be reaped.
        while time.monotonic() < deadline:
            os.waitpid(-1, os.WNOHANG)
    assert str(started[1].value) not in set(os.listdir("/proc")) - before


def fake(folder: Path, name: str, text: str) -> None:
    tool = folder / name
    tool.write_text(f"#!/bin/sh\n{text}\n")
    tool.chmod(0o755)


def test_a_tool_that_hangs_is_cut_off_and_the_rest_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools, run = tmp_path / "tools", tmp_path / "run"
    tools.mkdir()
    run.mkdir()
    fake(tools, "nvidia-smi", "echo $$ >> " + str(tmp_path / "pids") + "\nexec sleep 1000")
    fake(tools, "dmesg", "exec sleep 1000")
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    report = look_in_time(run)
    gaps = {section.probe: section.unknown for section in report.sections}
    (gpus,) = gaps["gpus"]
    assert "did not answer within" in gpus.why and gpus.instead.startswith("nvidia-smi")
    assert report.seconds < 60
    assert {"disk", "limits"} <= {section.probe for section in report.sections if section.seen}
    for pid in (tmp_path / "pids").read_text().split():
        until(lambda pid=pid: not os.path.exists(f"/proc/{pid}"))  # type: ignore[misc]


def test_a_tool_that_is_missing_or_fails_says_so() -> None:
    assert ask("no-such-tool-anywhere").failure == "no-such-tool-anywhere is not installed"
    failed = ask("sh", "-c", "echo out; echo why >&2; exit 3")
    assert (failed.out, failed.failure) == ("out\n", "sh failed with code 3: why")
    assert "did not answer within 0.2 s" in ask("sleep", "1000", limit=0.2).failure


def one_probe(function: object) -> Catalogue:
    known = catalogue.load()
    made = probe(gives=Machine, reads="x", limit=0.3, instead="look yourself")(function)  # type: ignore[arg-type]
    return replace(known, probes={made.id: made})


def test_a_probe_that_hangs_or_fails_is_unknown_with_what_to_run_instead(tmp_path: Path) -> None:
    def stuck(target: Target) -> Iterator[Piece]:
        hang()
        yield from ()

    def broken(target: Target) -> Iterator[Piece]:
        raise OSError(f"cannot open https://u:hunter22@host of {target.folder}")
        yield

    (section,) = probing.look(one_probe(stuck), tmp_path).sections
    (gap,) = section.unknown
    assert gap.why == "it did not answer within 0.3 s and was cut off" and gap.instead == "look yourself"
    assert 0.3 <= section.seconds < 60
    (section,) = probing.look(one_probe(broken), tmp_path).sections
    assert "the probe failed: OSError" in section.unknown[0].why
    assert "hunter22" not in section.unknown[0].why


def test_nothing_in_an_empty_folder_is_worth_a_look(tmp_path: Path) -> None:
    assert fired(look(tmp_path)) == set()


def test_a_list_of_processes_that_hangs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stetho.relatives.find", lambda folder, pid: hang())
    report = look_in_time(tmp_path)
    gaps = [gap for section in report.sections if section.probe == "processes" for gap in section.unknown]
    assert "could not be gone through" in gaps[-1].why and "--pid" in gaps[-1].instead
    assert report.seconds < 60


def test_on_a_dead_disk_everything_else_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a network disk whose server is gone: whoever touches the folder waits in the kernel."""
    touch = {name: getattr(os, name) for name in ("scandir", "statvfs", "lstat", "stat")}

    def waits(name: str) -> object:
        def call(path: object = ".", *arguments: object, **options: object) -> object:
            if isinstance(path, (str, Path)) and str(path).startswith(str(tmp_path)):
                hang()
            return touch[name](path, *arguments, **options)

        return call

    with program(tmp_path, "print('ready')\nwhile True: pass") as running:
        for name in touch:
            monkeypatch.setattr(os, name, waits(name))
        report = look_in_time(tmp_path)
        monkeypatch.undo()
    gaps = {section.probe for section in report.sections if section.unknown}
    seen = {section.probe for section in report.sections if section.seen}
    assert {"disk", "log-tail", "checkpoints"} <= gaps
    assert {"processes", "kernel", "limits"} <= seen | ({"kernel"} & gaps)
    assert running.pid in report.family
    assert any("does not answer" in gap.why for section in report.sections for gap in section.unknown)
    assert report.seconds < 60

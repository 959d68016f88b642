"""A machine is asked about a dead run only where the run is shown to have happened on it."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stetho import catalogue, here
from stetho.artifact import Artifact
from stetho.evidence import Source
from stetho.facts import KernelEvent, KernelLog, RunEnd, Whereabouts
from stetho.logged.ending import Told
from stetho.logged.known import Known
from stetho.reader import Reading
from stetho.series import Series

KILL = KernelEvent("oom-kill", "Out of memory: Killed process 4711 (python)", 3, pid=4711, process="python")


def left(folder: Path, *, hosts: tuple[str, ...] = (), last: float | None = None) -> tuple[list[Told], list[Series]]:
    file = folder / "train.log"
    file.write_text("step 1 loss 2.0\n")
    modified = os.stat(file).st_mtime
    times = (modified if last is None else last) - np.arange(5.0)[::-1]
    told = [Told(Artifact("train.log", file, 9, modified), Reading(Whereabouts((4711,), hosts), "x"))]
    return told, [Series("loss", np.ones(5), "train.log", np.arange(5), times=times)]


@pytest.fixture(autouse=True)
def booted_long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "on_own_disk", lambda path: True)
    monkeypatch.setattr(here, "text_of", lambda path: "999999.0 1.0")


def test_a_log_as_it_was_written_was_written_here(tmp_path: Path) -> None:
    assert here.where_it_ran(*left(tmp_path))[0] == tmp_path


def test_a_log_that_names_this_machine_was_written_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "on_own_disk", lambda path: False)
    assert here.where_it_ran(*left(tmp_path, hosts=(socket.gethostname(),)))[0] == tmp_path


def test_a_log_on_a_shared_disk_may_be_of_any_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "on_own_disk", lambda path: False)
    assert here.where_it_ran(*left(tmp_path))[0] is None


def test_a_log_that_names_another_machine_was_written_there(tmp_path: Path) -> None:
    assert here.where_it_ran(*left(tmp_path, hosts=("node-17",)))[0] is None


def test_what_was_pasted_can_be_of_any_machine(tmp_path: Path) -> None:
    told, series = left(tmp_path)
    pasted = [Told(replace(one.artifact, name=here.PASTED), one.reading) for one in told]
    assert here.where_it_ran(pasted, [replace(one, file=here.PASTED) for one in series])[0] is None


def test_a_copy_was_not_written_here(tmp_path: Path) -> None:
    assert here.where_it_ran(*left(tmp_path, last=time.time() - 9000))[0] is None
    told, _ = left(tmp_path)
    old = time.time() - 5000
    os.utime(tmp_path / "train.log", (old, old))
    kept = [Told(Artifact("train.log", one.artifact.path, 9, old), one.reading) for one in told]
    aged = [Series("loss", np.ones(5), "train.log", np.arange(5), times=old - np.arange(5.0)[::-1])]
    assert here.where_it_ran(kept, aged)[0] is None


def test_what_was_written_before_the_machine_started_is_not_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, series = left(tmp_path)
    monkeypatch.setattr(here, "text_of", lambda path: "0.001 1.0")
    time.sleep(0.01)
    assert here.where_it_ran(told, series)[0] is None


def test_a_run_that_ended_well_is_not_asked_about(tmp_path: Path) -> None:
    assert here.ask(catalogue.load(), *left(tmp_path), RunEnd(0)) == here.Asked()
    assert here.ask(catalogue.load(), *left(tmp_path), None) == here.Asked()


@pytest.mark.parametrize(("family", "killed"), [((4711,), True), ((5,), False)])
def test_a_kill_of_its_own_process_is_the_end(family: tuple[int, ...], killed: bool) -> None:
    log = Known(KernelLog((KILL,), 9, family=family), "x", Source(command="dmesg"))
    found = list(here.killed_here([log], RunEnd(None, steps=7, stopped_by="unfinished")))
    assert [one.fact for one in found] == ([RunEnd(None, "SIGKILL", steps=7)] if killed else [])
    assert not list(here.killed_here([log], RunEnd(1)))

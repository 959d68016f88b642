"""The same run is not made twice, and anything that could make it another one is noticed."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import stetho
from running import loop
from stetho import store
from stetho.executors import local
from stetho.executors.protocol import OUTPUT, RECORDING, Ran, Watcher
from stetho.experiment import Bound, Edit, Isolation, Job
from stetho.fingerprint import fingerprint
from stetho.store import remembered


class Runs:
    """An executor that writes what it is told to and counts how often it is asked."""

    def __init__(self, folder: Path, **ends: object) -> None:
        self.folder, self.ends, self.count = folder, ends, 0
        self.lines = ['{"e":"attached"}', '{"e":"steps","o":0,"i":0,"n":1}']

    def __call__(self, job: Job, watch: Watcher | None = None) -> Ran:
        self.count += 1
        folder = self.folder / f"{os.getpid()}-{self.count}"
        (folder / RECORDING).mkdir(parents=True)
        (folder / RECORDING / "r0-1.jsonl").write_text("\n".join(self.lines) + "\n")
        (folder / OUTPUT).write_text(f"output {self.count}")
        return Ran(**{"code": 0, "signal": None, "seconds": 3.5, "stopped_by": None, "folder": folder, **self.ends})


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "project"
    (folder / "data").mkdir(parents=True)
    (folder / "train.py").write_text("print(1)")
    (folder / "config.yaml").write_text("lr: 0.1")
    (folder / "data" / "x.bin").write_bytes(b"123")
    yield folder


@pytest.fixture
def job(project: Path, tmp_path: Path) -> Job:
    change = tmp_path / "lr.py"
    change.write_text("kind = 'control'")
    return Job(("python", "train.py"), str(project), 0, Bound(60.0, 100), changes=(("lr", "x10", str(change)),))


def named(job: Job, environment: dict[str, str] | None = None) -> str | None:
    return fingerprint(job, environment or {"PATH": os.environ["PATH"]}, Path(job.cwd) / ".stetho")


def test_the_second_time_nothing_runs(job: Job, tmp_path: Path) -> None:
    made = Runs(tmp_path / "made", stopped_by="bound", renamed=(("/a", "/b"),), overlay=False)
    run = remembered(made, tmp_path / "root")
    first, second = run(job), run(job)
    assert (made.count, first.reused, second.reused) == (1, False, True)
    assert second.folder != first.folder
    assert replace(second, folder=first.folder, reused=False) == first
    assert (second.recording / "r0-1.jsonl").read_bytes() == (first.recording / "r0-1.jsonl").read_bytes()
    assert second.output.read_text() == "output 1"
    second.discard()
    third = run(job)
    assert third.reused and third.output.exists()
    third.discard()
    assert not remembered(made, tmp_path / "root", fresh=True)(job).reused
    assert made.count == 2


def test_whatever_could_change_the_run_changes_its_name(job: Job, project: Path, tmp_path: Path) -> None:
    name = named(job)
    assert name == named(job)
    others = [
        replace(job, command=("python", "train.py", "--lr", "1")),
        replace(job, seed=1),
        replace(job, bound=Bound(60.0, 101)),
        replace(job, changes=()),
        replace(job, changes=((*job.changes[0][:1], "x100", job.changes[0][2]),)),
        replace(job, edits=(Edit("train.py", "1", "2", 1, ""),)),
        replace(job, trace=((0, 1),)),
        replace(job, stdin=project / "train.py"),
        replace(job, environment={"A": "1"}),
        replace(job, isolation=Isolation(network=True)),
    ]
    assert len({name, *map(named, others)}) == len(others) + 1
    assert fingerprint(job, {"PATH": os.environ["PATH"]}, Path(job.cwd) / ".stetho", "ray") != name
    assert named(replace(job, bound=Bound(5.0, 100, 10**9))) == name
    environment = {"PATH": os.environ["PATH"]}
    assert named(job, {**environment, "LEARNING_RATE": "1"}) != name
    assert named(job, {**environment, "SHLVL": "7", "PWD": "/", "TERM_PROGRAM": "x", "SSH_TTY": "y"}) == name


def test_whatever_the_run_could_read_is_in_its_name(job: Job, project: Path) -> None:
    seen = [named(job)]
    for file, text in (("train.py", "print(2)"), ("config.yaml", "lr: 0.2"), ("data/x.bin", "1234"), ("new.txt", "")):
        (project / file).write_text(text)
        seen.append(named(job))
    os.utime(project / "data" / "x.bin", (1, 1))
    seen.append(named(job))
    Path(job.changes[0][2]).write_text("kind = 'smoke'")
    seen.append(named(job))
    beside = project.parent / "library"
    beside.mkdir()
    path = {"PATH": os.environ["PATH"], "PYTHONPATH": str(beside)}
    seen.append(named(job, path))
    (beside / "model.py").write_text("x = 1")
    seen.append(named(job, path))
    assert len(set(seen)) == len(seen)
    # A file that only looks newer is read, and what stetho and Python write of their own is no part of the program.
    os.utime(project / "train.py", (1, 1))
    for own in (".stetho", "__pycache__", ".git"):
        (project / own).mkdir()
        (project / own / "file").write_text("x")
    assert named(job, path) == seen[-1]


def test_too_many_files_are_not_looked_at(job: Job, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("stetho.fingerprint.MOST_FILES", 2)
    assert named(job) is None
    made = Runs(tmp_path / "made")
    run = remembered(made, tmp_path / "root")
    assert not run(job).reused and not run(job).reused


def test_what_was_cut_short_answers_only_for_a_bound_as_short(job: Job, tmp_path: Path) -> None:
    made = Runs(tmp_path / "made", stopped_by="time", code=None)
    run = remembered(made, tmp_path / "root")
    run(job)
    assert run(replace(job, bound=Bound(59.0, 100))).reused
    assert run(replace(job, bound=Bound(61.0, 100))).reused
    assert not run(replace(job, bound=Bound(120.0, 100))).reused
    # The longer one has taken its place.
    assert run(replace(job, bound=Bound(120.0, 100))).reused
    assert made.count == 2
    full = remembered(Runs(tmp_path / "full", stopped_by="memory"), tmp_path / "other")
    small, large = (replace(job, bound=Bound(60.0, 100, n)) for n in (10, 20))
    full(small)
    assert full(small).reused and not full(large).reused


def test_what_a_watcher_stopped_answers_only_where_one_watches(job: Job, tmp_path: Path) -> None:
    run = remembered(Runs(tmp_path / "made", stopped_by="symptom"), tmp_path / "root")
    run(job, lambda progress: None)
    assert run(job, lambda progress: None).reused
    assert not run(job).reused


@pytest.mark.parametrize(
    ("ends", "line"),
    [
        ({"stopped_by": "interrupt"}, ""),
        ({"injection_error": "no"}, ""),
        ({}, '{"e":"fault","hook":"x"}'),
        ({"code": 127}, None),
    ],
)
def test_what_is_no_evidence_is_not_kept(job: Job, tmp_path: Path, ends: dict[str, object], line: str | None) -> None:
    made = Runs(tmp_path / "made", **ends)
    made.lines = [] if line is None else [*made.lines, line]
    run = remembered(made, tmp_path / "root")
    assert not run(job).reused and not run(job).reused


def test_a_store_that_was_tampered_with_is_passed_over(job: Job, tmp_path: Path) -> None:
    made = Runs(tmp_path / "made")
    run = remembered(made, tmp_path / "root")
    run(job)
    (kept,) = (tmp_path / "root" / "runs").iterdir()
    for text in ("", "{", "[]", '{"ran": {}}', '{"ran": [], "bound": 1}'):
        (kept / "ended.json").write_text(text)
        assert not run(job).reused
        assert run(job).reused
    (kept / OUTPUT).unlink()
    assert not run(job).reused


def test_the_store_is_bounded_and_the_oldest_go_first(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_RUNS", 3)
    run = remembered(Runs(tmp_path / "made"), tmp_path / "root")
    runs = tmp_path / "root" / "runs"
    for seed in range(3):
        run(replace(job, seed=seed))
        for folder in runs.iterdir():
            os.utime(folder, (folder.stat().st_mtime - 100,) * 2)
    assert run(replace(job, seed=0)).reused
    run(replace(job, seed=3))
    assert len(list(runs.iterdir())) == 3
    assert run(replace(job, seed=0)).reused
    assert not run(replace(job, seed=1)).reused
    abandoned = runs / ".1-abandoned"
    abandoned.mkdir()
    os.utime(abandoned, (time.time() - 10**5,) * 2)
    run(replace(job, seed=9))
    assert not abandoned.exists()
    monkeypatch.setattr(store, "MOST_BYTES", 10)
    run(replace(job, seed=10))
    assert not run(replace(job, seed=10)).reused


def test_a_real_run_is_the_same_from_the_store(write, tmp_path: Path) -> None:
    write("project/train.py", loop(30))
    job = Job(("python", "train.py"), str(tmp_path / "project"), 0, Bound(60.0))
    run = remembered(local.run, tmp_path / "root")
    first, second = run(job), run(job)
    assert second.reused and second.code == 0
    assert [f.read_bytes() for f in second.recording.iterdir()] == [f.read_bytes() for f in first.recording.iterdir()]
    first.discard()
    second.discard()


def test_why_runs_nothing_a_second_time(write, tmp_path: Path) -> None:
    write("train.py", loop(60, bad=20))

    def asked(*options: str) -> dict[str, Any]:
        command = ("why", "--json", "-q", "--no-experiments", *options, "--", "python", "train.py")
        return json.loads(stetho(*command, cwd=tmp_path).out)

    first, second = asked(), asked()
    assert (first["cost"]["runs"], second["cost"]["runs"]) == (1, 0)
    assert all(first[key] == second[key] for key in ("status", "symptoms", "claim"))
    assert [e["summary"] for e in first["evidence"][1:]] == [e["summary"] for e in second["evidence"][1:]]
    assert asked("--fresh")["cost"]["runs"] == 1


def test_code_outside_the_project_that_a_run_imports_is_part_of_it(tmp_path: Path) -> None:
    """An editable install lies elsewhere, and its name says nothing of where."""
    library, project = tmp_path / "library", tmp_path / "project"
    for folder in (library, project):
        folder.mkdir()
    (library / "shared.py").write_text("RATE = 0.1\n")
    (project / "train.py").write_text(
        f"import sys; sys.path.append({str(library)!r})\n"
        "import torch, shared\n"
        "w = torch.nn.Linear(2, 1); o = torch.optim.SGD(w.parameters(), lr=shared.RATE)\n"
        "for _ in range(3):\n    o.zero_grad(); w(torch.ones(4, 2)).pow(2).mean().backward(); o.step()\n"
    )
    job = Job((sys.executable, "train.py"), str(project), 0, Bound(60.0))
    execute = remembered(local.run, tmp_path / ".stetho")
    reused = []
    for rate in ("0.1", "0.1", "0.2", "0.2"):
        (library / "shared.py").write_text(f"RATE = {rate}\n")
        ran = execute(job)
        reused.append(ran.reused)
        ran.discard()
    assert reused == [False, True, False, True]

"""A real run keeps what it takes to go back: bounded, without a trace in what the program does, and after a kill."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import torch

from late_runs import SAMPLED, failure, from_there, loader, observed, unobserved
from running import wait_for

WORKERS = ", num_workers=1"
IN_PLACE = "a.mul_(0.5)"
PROGRAMS = {
    "loader": loader(),
    "workers": loader(WORKERS),
    "batches written to": loader(inside=IN_PLACE),
    "sampled": SAMPLED,
}


def ring(tmp_path: Path, **bounds: float) -> dict[str, object]:
    return {"folder": str(tmp_path / "ring"), **{"steps": 50, **bounds}}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_late_failure_comes_back_from_the_kept_state(name: str, tmp_path: Path, write) -> None:
    """Step by step the same numbers, although the program was started anew and took one step only."""
    program = write("train.py", PROGRAMS[name])
    ran = observed(program, tmp_path / "first", ring=ring(tmp_path))
    kept = failure(tmp_path / "ring")
    assert kept["failing"] > 500 and 20 <= kept["failing"] - kept["step"] <= 70
    again = from_there(program, tmp_path / "again", kept)
    assert again.record.of("restored")[0]["why"] is None
    assert again.record.of("resumed")[0]["same"] is True
    due = range(kept["step"], kept["failing"] + 1)
    assert [again.losses[i - kept["step"] + 1] for i in due] == [ran.losses[i] for i in due]
    assert again.record.of("origin")[0]["op"] == "log"
    assert len(again.record.steps) < 100 < kept["failing"]


@pytest.mark.parametrize("at_once", [0, 2**20])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_the_same_with_a_ring(name: str, at_once: int, tmp_path: Path, write) -> None:
    """Losses and generators to the last bit, whether it writes its checkpoints itself or has them written."""
    program = write("train.py", PROGRAMS[name])
    ran = observed(program, tmp_path / "rec", ring=ring(tmp_path, at_once=at_once))
    assert ran.out == unobserved(program) != "" and ran.code == 0
    assert not ran.record.faults and not [e for e in ran.record.of("ring") if e.get("off")]


def test_only_what_is_needed_stays_on_disk(tmp_path: Path, write) -> None:
    """Of the checkpoints the one to go back to, its batches, and the record that names both."""
    program = write("train.py", loader())
    ran = observed(program, tmp_path / "rec", ring=ring(tmp_path))
    kept = failure(tmp_path / "ring")
    names = {f.name for f in (tmp_path / "ring").iterdir()}
    assert names == {kept["checkpoint"], kept["batches"], Path(kept["path"]).name}
    assert [(e["step"], e["count"]) for e in ran.record.of("ring") if "count" in e] == [
        (50, 1), (100, 2), (200, 4), (400, 8)
    ]  # fmt: skip


def test_batches_beyond_the_bound_are_let_go_and_nothing_is_promised(tmp_path: Path, write) -> None:
    program = write("train.py", loader())
    ran = observed(program, tmp_path / "rec", ring=ring(tmp_path, memory=20_000, steps=70))
    (end,) = [e for e in ran.record.of("ring") if "failing" in e]
    assert end["failing"] == 600 and end["since"] is None
    assert not list((tmp_path / "ring").glob("*-failure.json"))


@pytest.mark.parametrize("at_once", [0, 2**20])
def test_a_killed_run_leaves_its_newest_checkpoint(at_once: int, tmp_path: Path, write) -> None:
    killed = loader(inside="if step == 320: import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    ran = observed(write("train.py", killed), tmp_path / "rec", ring=ring(tmp_path, at_once=at_once))
    assert ran.code == -signal.SIGKILL
    (path,) = wait_for(lambda: list((tmp_path / "ring").glob("*-300.pt")))
    state = torch.load(path, weights_only=True)
    assert state["steps"] == [300] and len(state["optimizers"][0]["parameters"]) == 4
    assert len(list((tmp_path / "ring").iterdir())) <= 3


def test_a_model_beyond_the_disk_budget_is_not_kept_and_that_is_said(tmp_path: Path, write) -> None:
    program = write("train.py", loader())
    ran = observed(program, tmp_path / "rec", ring=ring(tmp_path, disk=1000))
    (said,) = ran.record.of("ring")
    assert "MB" in said["off"] and said["step"] == 50
    assert not (tmp_path / "ring").exists() and ran.code == 0


def test_an_error_in_the_ring_costs_the_ring_alone(tmp_path: Path, write) -> None:
    """A folder that cannot be made: the run is recorded to its end all the same."""
    (tmp_path / "ring").write_text("in the way")
    ran = observed(write("train.py", SAMPLED), tmp_path / "rec", ring=ring(tmp_path))
    assert "off" in ran.record.of("ring")[0] and not ran.record.faults
    assert len(ran.record.steps) == 640


def test_a_passing_overflow_is_not_the_end(tmp_path: Path, write) -> None:
    """After a loss that is infinite once, the ring goes on, and the failure that stays is the one that is kept."""
    passing = "if step == 120: (model(a).sum() * float('inf')).backward()"
    program = write("train.py", loader(inside=passing))
    ran = observed(program, tmp_path / "rec", ring=ring(tmp_path))
    assert [e["failing"] for e in ran.record.of("ring") if "failing" in e] == [120, 600]
    assert failure(tmp_path / "ring")["failing"] == 600
    assert not [f for f in os.listdir(tmp_path / "ring") if "120" in f]


def test_no_ring_without_being_asked(tmp_path: Path, write) -> None:
    ran = observed(write("train.py", SAMPLED), tmp_path / "rec")
    assert not ran.record.of("ring")

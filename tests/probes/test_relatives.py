"""What a process is to a run, by what it runs, holds and maps."""

from __future__ import annotations

import pytest

from stetho.relatives import Relative, Stat, ordered, role

FOLDER = "/data/run"


def made(command: str, pid: int = 50, parent: int = 9, cwd: str = FOLDER, **known: object) -> Relative:
    stat = Stat(pid, "python", "sleeping", parent, 10, 1, 1)
    return Relative(stat, tuple(command.split()), cwd, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("python train.py --logger wandb", "trainer"),
        ("python3.11 -u -W ignore train.py", "trainer"),
        ("/v/bin/python -m project.train --tensorboard", "trainer"),
        ("python -c code", "trainer"),
        ("/v/bin/python /v/bin/tensorboard --logdir .", "other"),
        ("python -m tensorboard.main --logdir .", "other"),
        ("/v/bin/python -m ipykernel_launcher -f kernel.json", "other"),
        ("python /v/bin/jupyter-lab", "other"),
        ("python -m http.server", "other"),
        ("python -m stetho probe .", "other"),
        ("python /v/bin/torchrun --nproc-per-node 2 train.py", "launcher"),
        ("python -m torch.distributed.run train.py", "launcher"),
        ("/v/bin/python /v/bin/accelerate launch train.py", "launcher"),
        ("bash run.sh", "other"),
        ("python", "other"),
        ("python /elsewhere/tool.py", "other"),
    ],
)
def test_a_role_by_the_program(command: str, what: str) -> None:
    one = made(command)
    assert role(one, {50: one}, FOLDER) == what


def test_a_framework_makes_a_trainer_of_any_program() -> None:
    one = made("/elsewhere/binary", cwd="/", frameworks=("torch",))
    assert role(one, {50: one}, FOLDER) == "trainer"
    driver_only = made("/elsewhere/binary", cwd="/", frameworks=("cuda",))
    assert role(driver_only, {50: driver_only}, FOLDER) == "other"


def test_children_are_workers_ranks_or_something_else() -> None:
    parent = made("python train.py", 50)
    forked = made("python train.py", 51, 50)
    spawned = made("python -c from multiprocessing.spawn import spawn_main --multiprocessing-fork", 52, 50)
    rank = made("python -c from multiprocessing.spawn import spawn_main", 53, 50, environment={"RANK": "1"})
    tracker = made("python -c from multiprocessing.resource_tracker import main", 54, 50)
    shell = made("sh -c nvidia-smi", 55, 50)
    launcher = made("python /v/bin/torchrun train.py", 60)
    launched = made("python train.py", 61, 60, environment={"RANK": "0"})
    everyone = {one.stat.pid: one for one in (parent, forked, spawned, rank, tracker, shell, launcher, launched)}
    found = {pid: role(one, everyone, FOLDER) for pid, one in everyone.items()}
    assert found == {
        50: "trainer", 51: "worker", 52: "worker", 53: "trainer", 54: "other", 55: "other", 60: "launcher",
        61: "trainer",
    }  # fmt: skip


def test_the_likely_trainer_comes_first() -> None:
    launcher = made("python /v/bin/torchrun train.py", 60, frameworks=("torch",))
    second = made("python train.py", 62, 60, frameworks=("torch",), environment={"RANK": "1"})
    first = made("python train.py", 61, 60, frameworks=("torch",), environment={"RANK": "0"})
    tool = made("python /v/bin/tensorboard --logdir .", 70)
    assert [one.stat.pid for one in ordered([tool, launcher, second, first], FOLDER)] == [61, 62, 60, 70]

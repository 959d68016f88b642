"""One run or several: folders, formats, splits, ranks, restarts and data bases are told apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stetho.artifact import Artifact
from stetho.facts import Crash
from stetho.logged.runs import runs_in
from stetho.logged.walk import Left, below
from stetho.reader import Reading
from stetho.series import Series

ROOT = Path("/runs")


def log(name: str, *metrics: str, reader: str = "text-log", steps: tuple[int, int] = (0, 100), run: str = "") -> Left:
    every = np.arange(*steps)
    pieces = tuple(Series(m, np.ones(len(every)), name, every, run=run) for m in metrics or ("loss", "lr"))
    return Left(Artifact(name, ROOT / name, 10, 0.0), reader, pieces)


def store(name: str, *runs: str) -> Left:
    return Left(Artifact(name, ROOT / name, 10, 0.0), "sqlite", sum((log(name, run=r).pieces for r in runs), ()))


def crash(name: str) -> Left:
    return Left(Artifact(name, ROOT / name, 10, 0.0), "text-log", (Reading(Crash("KeyError", "x"), "KeyError"),))


@pytest.mark.parametrize(
    ("left", "names"),
    [
        ([log("out.log")], [""]),
        # Programs of different kinds, each with its own numbers: the same file in each folder says that they are runs.
        ([log("a/log.txt", "wer"), log("b/log.txt", "nll"), log("c/log.txt", "reward")], ["a", "b", "c"]),
        ([log("out/log.txt", "loss"), log("eval/log.txt", "top1")], [""]),
        ([log("out/log.txt", "loss"), log("data/stats.txt", "mean")], [""]),
        ([log("out.log"), log("tb/events", reader="tensorboard"), crash("err.txt")], [""]),
        ([log("a/tb/events", reader="tensorboard"), log("a/csv/metrics", reader="csv")], [""]),
        ([log("csv/metrics", reader="csv"), log("tb/events", reader="tensorboard")], [""]),
        ([log("train/events"), log("validation/events")], [""]),
        ([log("lr1e-3/out.log"), log("lr1e-4/out.log")], ["lr1e-3", "lr1e-4"]),
        ([log("s/version_0/m.csv"), log("s/version_1/m.csv"), log("s/version_2/m.csv")],
         ["s/version_0", "s/version_1", "s/version_2"]),
        ([log("a/x/out.log"), log("a/x/tb/ev", reader="tb"), log("b/x/out.log"), log("b/x/tb/ev", reader="tb")],
         ["a/x", "b/x"]),
        ([log("rank0/out.log"), log("rank1/out.log")], [""]),
        ([log("log.rank_0.txt"), log("log.rank_1.txt")], [""]),
        ([log("run1.log"), log("run2.log")], ["run1.log", "run2.log"]),
        ([log("slurm-1.out"), log("slurm-2.out", steps=(80, 200))], [""]),
        ([store("store.db", "a", "b")], ["a", "b"]),
        ([store("x/store.db", "a", "b"), crash("x/err.txt")], ["x:a", "x:b"]),
        ([log("train.log", "loss"), log("gpu.csv", "gpu", reader="csv")], [""]),
        ([], [""]),
    ],
)  # fmt: skip
def test_files_are_put_together_by_run(left: list[Left], names: list[str]) -> None:
    found = runs_in(ROOT, left)
    assert [run.name for run in found] == names
    held = [id(piece) for run in found for _, piece in run.series]
    assert len(held) == len(set(held))


def test_a_folder_named_after_a_split_names_its_numbers() -> None:
    (run,) = runs_in(ROOT, [log("train/events", "epoch_loss"), log("validation/events", "epoch_loss")])
    assert [series.name for _, series in run.series] == ["train/epoch_loss", "validation/epoch_loss"]


def test_what_is_nobodys_belongs_to_all() -> None:
    a, b = runs_in(ROOT, [log("a/out.log"), log("b/out.log"), crash("a/err.txt"), crash("dmesg.txt")])
    assert [one.artifact.name for one in a.left] == ["a/out.log", "a/err.txt", "dmesg.txt"]
    assert [one.artifact.name for one in b.left] == ["b/out.log", "dmesg.txt"]


def test_of_several_ranks_the_first_speaks() -> None:
    (run,) = runs_in(ROOT, [log("rank1/out.log"), log("rank0/out.log")])
    assert {series.file for _, series in run.series} == {"rank0/out.log"} and run.ranks == ("rank1", "rank0")
    mixed = [log("out.log", "loss", run="rank 0"), log("out.log", "loss", run="rank 1")]
    (run,) = runs_in(ROOT, [Left(mixed[0].artifact, "text-log", mixed[0].pieces + mixed[1].pieces)])
    assert [series.run for _, series in run.series] == ["rank 0"] and run.ranks == ("rank 0", "rank 1")


def test_a_walk_ends_and_stays_below(tmp_path: Path) -> None:
    (tmp_path / "run" / "deep").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    for name in ("secret/a.log", "run/b.log", "run/deep/c.log", "run/train.py"):
        (tmp_path / name).write_text("loss 1\n")
    (tmp_path / "run" / "again").symlink_to(tmp_path / "run")
    (tmp_path / "run" / "out").symlink_to(tmp_path / "secret")
    (tmp_path / "run" / ".git").mkdir()
    (tmp_path / "run" / ".git" / "d.log").write_text("x\n")
    found = [one.path.name for one in below(tmp_path / "run", lambda folder: False)]
    assert found == ["b.log", "c.log"]
    assert [one.name for one in below(tmp_path / "run", lambda f: f.path.name == "deep") if one.folder] == [
        str(tmp_path / "run" / "deep")
    ]

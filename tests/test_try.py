"""`stetho try`: one change at a time, or somebody's patch, judged against the base; nothing of the user's changes."""

from __future__ import annotations

import difflib
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import stetho
from stetho import catalogue, recording
from stetho.attempt import attempt
from stetho.case import Request, new_case
from stetho.errors import WorkerLost
from stetho.executors import local
from stetho.executors.protocol import Ran, Watcher
from stetho.experiment import Job
from stetho.idea import ideas_from
from stetho.inquiry import Inquiry
from stetho.proof import confounded, why_not_applied
from stetho.recording import Applied, Recording

TRAIN = """
import torch
from model import Net

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, :4].sum(1) > 0).long()
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.3)
for step in range(120):
    rows = torch.randint(0, 256, (32,))
    loss = torch.nn.functional.cross_entropy(net(x[rows]), y[rows])
    opt.zero_grad()
    loss.backward()
    opt.step()
torch.save(net.state_dict(), "best.pt")
open("log.csv", "a").write(f"{loss.item()}\\n")
"""
MODEL = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2))

    def forward(self, x):
        return self.net(x)SCALE
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(TRAIN)
    (folder / "model.py").write_text(MODEL.replace("SCALE", ".detach().requires_grad_() * 1.0"))
    (folder / "unused.py").write_text("x = 1\n")
    (folder / "best.pt").write_bytes(b"precious")
    (folder / "log.csv").write_text("1.0\n")
    return folder


def seen(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = (f for f in folder.rglob("*") if f.is_file() and ".stetho" not in f.parts)
    return {f.name: (f.read_bytes(), f.stat().st_mtime_ns) for f in files}


def diff(folder: Path, name: str, new: str, to: str) -> str:
    old = (folder / name).read_text()
    text = "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"a/{name}", f"b/{name}"))
    (folder.parent / to).write_text(text)
    return str(folder.parent / to)


def tried(answer) -> dict[str, dict]:
    found = json.loads(answer.out)
    assert found["schema"] == "stetho.try/1"
    return {one["change"]: one for one in found["experiments"]}


def test_patches_and_trees_are_tried_on_a_run_that_learns_nothing(project: Path) -> None:
    cured = MODEL.replace("SCALE", "")
    cure = diff(project, "model.py", cured, "cure.diff")
    useless = diff(project, "model.py", MODEL.replace("SCALE", ".detach().requires_grad_() * 1.01"), "useless.diff")
    unused = diff(project, "unused.py", "x = 2\n", "unused.diff")
    breaks = diff(project, "model.py", cured.replace("Linear(8", "Linear(9"), "breaks.diff")
    tree = project.parent / "mine"
    shutil.copytree(project, tree)
    (tree / "model.py").write_text(cured)
    before = seen(project)
    patches = [word for name in (cure, useless, unused, breaks) for word in ("--patch", name)]
    answer = stetho("try", "--json", *patches, "--against", str(tree), "--", "python", "train.py", cwd=project)
    found = tried(answer)
    assert json.loads(answer.out)["base"]["symptom"] != "none"
    assert found["patch cure.diff"]["outcome"] == "symptom-gone"
    assert found["patch cure.diff"]["after"] < 0.5 * found["patch cure.diff"]["before"]
    assert found["tree mine"]["outcome"] == "symptom-gone"
    assert found["patch useless.diff"]["outcome"] == "same"
    assert found["patch unused.diff"]["outcome"] == "not-applied"
    assert "has not used unused.py" in found["patch unused.diff"]["detail"]
    assert found["patch breaks.diff"]["outcome"] == "new-failure"
    assert "mat1 and mat2 shapes cannot be multiplied" in found["patch breaks.diff"]["detail"]
    assert answer.code == 3
    assert seen(project) == before


def test_named_changes_on_a_run_that_learns(project: Path) -> None:
    (project / "model.py").write_text(MODEL.replace("SCALE", ""))
    before = seen(project)
    names = ("lr=0", "lr=x1", "shuffled-labels", "zero-grad", "one-batch")
    answer = stetho("try", "--json", *names, "--", "python", "train.py", cwd=project)
    found = tried(answer)
    assert json.loads(answer.out)["base"]["symptom"] == "none"
    assert found["lr=0"]["outcome"] in ("worse", "new-failure")
    assert (found["lr=x1"]["outcome"], found["lr=x1"]["after"]) == ("same", found["lr=x1"]["before"])
    assert found["shuffled-labels"]["outcome"] == "worse"
    assert found["zero-grad"]["outcome"] == "not-applied"
    assert "clears its gradients itself" in found["zero-grad"]["detail"]
    assert found["one-batch"]["outcome"] == "better"
    assert all(one["verified"] for one in found.values() if one["outcome"] != "not-applied")
    assert all(one["streams_moved_at"] is None for one in found.values())
    assert answer.code == 3
    assert seen(project) == before

    # What was run before is not run again, and says the same.
    again = stetho("try", "--json", "lr=0", "--", "python", "train.py", cwd=project)
    assert json.loads(again.out)["cost"] | {"seconds": 0} == {"seconds": 0, "runs": 0, "reused": 2}
    assert tried(again)["lr=0"]["after"] == found["lr=0"]["after"] and again.code == 0

    text = stetho("try", "lr=0", "zero-grad", "--", "python", "train.py", cwd=project)
    assert "NOT-APPLIED" in text.out and "verified 120" in text.out and text.code == 3
    table = stetho("try", "-q", "lr=0", "--format", "md", "--", "python", "train.py", cwd=project)
    assert "| X1 | `lr=0` |" in table.out and table.err == ""
    shown = stetho("cases", cwd=project)
    assert "  tried  " in shown.out and "unfinished" not in shown.out
    told = stetho("cases", "show", "last", cwd=project).out
    assert "- X1 lr=0: " in told and "resume" not in told
    assert json.loads(stetho("cases", "show", "last", "--json", cwd=project).out)["status"] == "tried"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lr", "--", "python", "train.py"], "lr needs a value: lr=xK"),
        (["lr=fast", "--", "python", "train.py"], "lr=fast: this is not a number; it is written lr=xK"),
        (["lr=nan", "--", "python", "train.py"], "a rate is a finite number from 0 up"),
        (["leraning-rate=1", "--", "python", "train.py"], "lr or"),
        (["lrr=1", "--", "python", "train.py"], "Did you mean lr"),
        (["qqq", "--", "python", "train.py"], "stetho try --list shows them all"),
        (["one-batch=2", "--", "python", "train.py"], "one-batch takes no value"),
        (["close-look", "--", "python", "train.py"], "there is no intervention 'close-look'"),
        (["lr=0"], "give the command after --"),
        (["--", "python", "train.py"], "give a change to try"),
        (["lr=0", "--", "no-such-program"], "it was not found"),
        (["lr=0", "lr=0", "--", "python", "train.py"], "asked for twice"),
        (["--patch", "none.diff", "--", "python", "train.py"], "cannot be read"),
        (["--against", "none", "--", "python", "train.py"], "is no folder"),
    ],
)
def test_a_bad_request_is_one_line(words: list[str], said: str, project: Path) -> None:
    answer = stetho("try", *words, cwd=project)
    assert answer.code == 2
    assert answer.err.count("\n") == 1 and said in answer.err and not answer.out
    assert not (project / ".stetho").exists()


def test_what_fails_before_it_trains_and_cases_of_try_are_told_in_one_line(project: Path) -> None:
    answer = stetho("try", "lr=0", "--", "python", "nofile.py", cwd=project)
    assert answer.code == 2 and "fails before it trains" in answer.err and "nofile.py" in answer.err
    again = stetho("cases", "resume", "last", cwd=project)
    assert again.code == 2 and "is of stetho try" in again.err
    assert "unfinished" in stetho("cases", cwd=project).out
    assert "ask again" in stetho("cases", "show", "last", cwd=project).out
    idle = stetho("try", "lr=0", "one-batch", "--", "python", "-c", "import torch", cwd=project)
    assert idle.code == 2 and "nothing to change" in idle.err and idle.err.count("observing") == 1


def test_every_change_is_listed_with_how_it_is_written(tmp_path: Path) -> None:
    known = [one for one in catalogue.load().interventions.values() if one.by_hand]
    listed = json.loads(stetho("try", "--list", "--json", cwd=tmp_path).out)["interventions"]
    assert [one["id"] for one in listed] == [one.id for one in known]
    text = stetho("try", "--list", cwd=tmp_path).out
    assert all(one.usage in text for one in known)


def test_a_lost_worker_ends_the_attempt_and_what_the_others_left_is_kept(project: Path, tmp_path: Path) -> None:
    request = Request((sys.executable, "train.py"), str(project), 0, 300.0, None, True, 0.0, verb="try")
    case = new_case(tmp_path / "cases", request)
    left: list[Ran] = []

    def execute(job: Job, watch: Watcher | None = None) -> Ran:
        if any(name == "lr" for name, _, _ in job.changes):
            raise WorkerLost("the node is gone")
        left.append(local.run(job, watch))
        return left[-1]

    with case.open_ledger() as ledger:
        inquiry = Inquiry(case, ledger, request, catalogue.load(), print, print, execute=execute)
        with pytest.raises(WorkerLost, match=r"the node is gone; the case is kept: .*cases"):
            attempt(inquiry, ideas_from(["lr=x10", "one-batch"], [], [], str(project)))
        assert any("the node is gone" in note for note in ledger.notes())
    kept = [recording.read(folder) for folder in sorted(case.recordings.iterdir())]
    assert [[body["id"] for body in record.of("change")] for record in kept] == [[], ["one-batch"]]
    assert all(record.steps for record in kept) and not any(ran.folder.exists() for ran in left)


def test_random_numbers_that_the_change_itself_has_moved_confound() -> None:
    ones = catalogue.load().interventions
    assert confounded((1, "torch's"), ones["lr"]).startswith("confounded")
    assert not confounded((2, "torch's"), ones["lr"]), "a program may draw by what it has learned"
    assert not confounded((1, "torch's"), ones["seed"]), "it says itself that it moves them"
    assert not confounded(None, ones["lr"])


def test_what_another_change_has_counted_proves_nothing() -> None:
    """On another seed the change of seed is made as well, and counts its own applications."""

    def run(count: int, verified: int) -> Recording:
        return Recording(attached=True, applied=Applied(count, verified))

    assert not why_not_applied(run(3, 3))
    assert why_not_applied(run(0, 0)) and why_not_applied(run(3, 0))
    assert not why_not_applied(run(5, 4), run(2, 2))
    assert why_not_applied(run(2, 2), run(2, 2)) and why_not_applied(run(5, 2), run(2, 2))
    ranks = Recording(attached=True, applied=Applied(3, 3), ranks={0: run(3, 3), 1: run(0, 0)})
    assert "(rank 1)" in why_not_applied(ranks)
    # What is made where something is wrong has nothing to do elsewhere; but it must have been made.
    idle = replace(run(0, 0), rank=1)
    assert why_not_applied(replace(ranks, ranks={0: run(3, 3), 1: idle}))
    assert not why_not_applied(replace(ranks, ranks={0: run(3, 3), 1: idle}), somewhere=True)
    assert why_not_applied(replace(ranks, ranks={0: run(3, 0), 1: idle}), somewhere=True)
    assert why_not_applied(replace(ranks, ranks={0: run(0, 0), 1: idle}), somewhere=True)

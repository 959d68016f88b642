"""Independent runs go side by side within the cores, and leave what they leave alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stetho import parallel, recording
from stetho.executors import local
from stetho.executors.protocol import Progress, Ran, Watcher
from stetho.experiment import Bound, Job
from stetho.facts import Loader, Loaders, RunSetup
from stetho.parallel import Task, at_once, cores, together


def job(number: int = 0, cwd: str = "/") -> Job:
    return Job(("python", f"{number}.py"), cwd, 0, Bound(60.0))


class Seen:
    """An executor that says when each run began and ended, and how many went on at the same time."""

    def __init__(self, until: Callable[[], bool] = lambda: True) -> None:
        self.until, self.lock, self.now, self.most = until, threading.Lock(), 0, 0
        self.alone: list[int] = []

    def __call__(self, job: Job, watch: Watcher | None = None) -> Ran:
        number = int(job.command[1].partition(".")[0])
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
            self.alone += [number] if self.now == 1 else []
        reason = None
        deadline = time.monotonic() + 30
        while reason is None and not self.until() and time.monotonic() < deadline:
            reason = watch(Progress(0.0, 0, None)) if watch is not None else None
            time.sleep(0.001)
        with self.lock:
            self.now -= 1
        if number == 13:
            raise ValueError("no luck")
        return Ran(0, None, float(number), reason, Path("/nonexistent"))


def test_results_come_in_order_and_one_failure_costs_no_other() -> None:
    found = together([Task(job(n)) for n in (3, 13, 1, 2)], Seen(), 2)
    assert [r.seconds if isinstance(r, Ran) else type(r) for r in found] == [3.0, ValueError, 1.0, 2.0]
    assert together([], Seen(), 2) == []


def test_no_more_than_so_many_at_once_and_those_about_time_alone() -> None:
    crowded = threading.Event()
    seen = Seen(lambda: crowded.is_set() or (seen.most >= 3 and not crowded.set()))  # type: ignore[func-returns-value]
    together([Task(job(n)) for n in range(9)], seen, 3)
    assert seen.most == 3
    single = Seen()
    together([Task(job(n), alone=True) for n in range(4)], single, 3)
    assert single.most == 1 and single.alone == [0, 1, 2, 3]


def test_an_interrupt_ends_all_and_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str | None] = []
    seen = Seen(lambda: False)

    def run(job: Job, watch: Watcher | None = None) -> Ran:
        ran = seen(job, watch)
        ended.append(ran.stopped_by)
        return ran

    def interrupted(futures: object) -> None:
        while seen.now < 2:
            time.sleep(0.001)
        raise KeyboardInterrupt

    monkeypatch.setattr(parallel, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        together([Task(job(n)) for n in range(5)], run, 2)
    assert ended == ["interrupt", "interrupt"] and seen.now == 0


def test_how_many_follows_from_the_threads_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "cores", lambda: 8)

    def carries(threads: int | None, world: int | None = None, workers: int = 0) -> int:
        loader = Loader(None, 100, 10, 10, workers, "RandomSampler", True, False, False, False, (), 1)
        setup = RunSetup((), threads=threads, world=world)
        return at_once({RunSetup: ("", setup), Loaders: ("", Loaders((loader,)))})

    assert [carries(1), carries(2), carries(8), carries(16), carries(None)] == [8, 4, 1, 1, 8]
    assert carries(2, world=2) == 2
    assert carries(1, workers=3) == 2
    assert at_once({}) == 1


def test_a_control_group_limits_the_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_groups", lambda root: [tmp_path])
    assert parallel._quota() is None
    for text, expected in (("max 100000", None), ("150000 100000", 1.5), ("50000 100000", 0.5), ("nonsense", None)):
        (tmp_path / "cpu.max").write_text(text)
        assert parallel._quota() == expected
    (tmp_path / "cpu.max").write_text("50000 100000")
    assert cores() == 1


PROGRAM = """
import os, torch
torch.manual_seed(int(os.environ["SEED"]))
model = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(30):
    x = torch.randn(8, 4)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def test_two_real_runs_overlap_and_record_what_they_record_alone(
    write: Callable[[str, str], Path], tmp_path: Path
) -> None:
    write("train.py", PROGRAM)
    jobs = [Job(("python", "train.py"), str(tmp_path), 0, Bound(90.0), environment={"SEED": n}) for n in "12"]
    spans: list[tuple[float, float]] = []

    def timed(job: Job, watch: Watcher | None = None) -> Ran:
        begun = time.monotonic()
        ran = local.run(job, watch)
        spans.append((begun, time.monotonic()))
        return ran

    found = [r for r in together([Task(one) for one in jobs], timed, 2) if isinstance(r, Ran)]
    assert max(begun for begun, _ in spans) < min(ended for _, ended in spans)
    alone = local.run(jobs[0])
    first, second, again = ([s.losses for s in recording.read(r.recording).steps] for r in (*found, alone))
    assert first == again != second and len(first) == len(second) == 30
    for ran in (*found, alone):
        ran.discard()

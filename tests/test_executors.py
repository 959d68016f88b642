"""The same experiment gives the same evidence wherever it runs; what dies is tried once more, then told.

Ray is a real cluster of two nodes on this machine, Slurm is submitit's stand-in for it.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from conftest import environment, stetho
from running import STETHO, end, wait_for
from stetho import catalogue, codec, measure, recording
from stetho.case import open_case
from stetho.config import Config, OnSlurm
from stetho.errors import BadRequest, WorkerLost
from stetho.executors import choice, local, remote, slurm, worker
from stetho.executors.protocol import Executor, Progress, Ran
from stetho.experiment import Bound, Job
from stetho.facts import LearningRate, LossCurve
from test_why import copied

SEVERAL = ["ray", "slurm"]
TRAIN = """
import json, os, sys
import torch
print(sys.stdin.read())
print(json.dumps({k: v for k, v in sorted(os.environ.items()) if k not in ("STETHO_PLAN", "PYTEST_CURRENT_TEST")}))
model = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.001)
for step in range(60):
    x = torch.randn(8, 4)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
"""
SLOW = "import time\nprint('begun', flush=True)\ntime.sleep({})\nprint('done')\n"


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[dict[str, str]]:
    """Two Ray nodes with one core each, which every `--executor ray` of this module finds by its address."""
    import ray
    from ray.cluster_utils import Cluster

    before = dict(os.environ)
    small = {"num_cpus": 1, "object_store_memory": 80 * 1024**2, "include_dashboard": False}
    two = Cluster(initialize_head=True, head_node_args=small)
    two.add_node(**{k: v for k, v in small.items() if k != "include_dashboard"})
    ours = {"RAY_ADDRESS": two.address, "STETHO_SLURM_CLUSTER": "local"}
    os.environ.update(ours)
    yield {**before, **ours}
    ray.shutdown()
    two.shutdown()
    logging.getLogger("ray").setLevel(logging.CRITICAL)
    # Ray writes into the environment of the process that uses it.
    os.environ.clear()
    os.environ.update(before)


@contextlib.contextmanager
def only(variables: dict[str, str]) -> Iterator[None]:
    """As in a process of its own: without what Ray has written into the environment of this one."""
    now = dict(os.environ)
    os.environ.clear()
    os.environ.update(variables)
    yield
    os.environ.update(now)


@pytest.fixture
def get(tmp_path: Path, cluster: dict[str, str]) -> Callable[[str], Executor]:
    def executor(name: str) -> Executor:
        with only(cluster):
            return choice.executor(name, Config(), tmp_path / "jobs")  # type: ignore[arg-type]

    return executor


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(TRAIN)
    return folder


def program(project: Path, text: str, seconds: float = 60.0) -> Job:
    (project / "slow.py").write_text(text)
    return Job((sys.executable, "slow.py"), str(project), 0, Bound(seconds))


def runs_in(folder: Path) -> psutil.Process | None:
    """The user's program, by the directory that it is in."""
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(folder) and process.cmdline() == [sys.executable, "slow.py"]:
                return process
        except psutil.Error:
            continue
    return None


def running(folder: Path) -> psutil.Process:
    found = wait_for(lambda: runs_in(folder))
    assert isinstance(found, psutil.Process)
    return found


def workers(program: psutil.Process) -> list[psutil.Process]:
    """Above a user's program: the one that runs the job, and the process of the cluster that has started it."""
    above = program.parents()
    first = next(i for i, process in enumerate(above) if "stetho.executors.worker" in " ".join(process.cmdline()))
    return above[first:]


@pytest.fixture(scope="module")
def at_home(tmp_path_factory: pytest.TempPathFactory, cluster: dict[str, str]) -> tuple[Job, dict[str, object]]:
    """A job with one change, and what it gives on this machine."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "train.py").write_text(TRAIN)
    (folder / "answers").write_text("read by the program")
    change = ("lr", "x10", catalogue.load().interventions["lr"].path)
    job = Job(
        (sys.executable, "train.py"), str(folder), 3, Bound(60.0, 40), (change,), stdin=folder / "answers",
        environment={"SAID": "to the program"},
    )  # fmt: skip
    with only(cluster):
        return job, evidence(local.run(job))


def evidence(ran: Ran) -> dict[str, object]:
    """All that an investigation reads off a run, except for times and process numbers."""
    record = recording.read(ran.recording)
    lines = ran.output.read_text().splitlines()
    facts = [fact for fact, _ in measure.facts(record) if isinstance(fact, (LossCurve, LearningRate))]
    ran.discard()
    return {
        "losses": [step.losses for step in record.steps],
        "applied": record.applied,
        "facts": facts,
        "ended": (ran.code, ran.signal, ran.stopped_by, ran.overlay, ran.injection_error),
        "read": lines[0],
        "environment": json.loads(lines[1]),
        "thrown away": not ran.folder.exists(),
    }


@pytest.mark.parametrize("name", SEVERAL)
def test_the_same_job_gives_the_same_evidence(name: str, get, at_home) -> None:
    job, expected = at_home
    assert expected["applied"] and len(expected["losses"]) == 40 and expected["ended"][2] == "bound"
    assert expected["read"] == "read by the program" and expected["environment"]["SAID"] == "to the program"
    told: list[Progress] = []
    ran = get(name)(job, told.append)
    assert ran.node is not None and ran.node.startswith(socket.gethostname())
    assert ran.pythons and told
    assert evidence(ran) == expected


def test_the_same_investigation_has_the_same_outcome(tmp_path: Path) -> None:
    folder, _ = copied("friedman-regression", tmp_path)
    command = ("python", "train.py", "--epochs", "5")
    answers = {}
    for name in ("local", *SEVERAL):
        answers[name] = stetho(
            "why", "--executor", name, "--json", "--", *command, cwd=folder, STETHO_SLURM_CLUSTER="local"
        )
        assert answers[name].err.count("\n") == 2, answers[name].err  # the two runs, and no word of the cluster's
        assert not list(folder.glob(".stetho/*/jobs/*"))
    home = judged(answers["local"].verdict)
    assert home["status"] == "established" and home["experiments"]
    for name in SEVERAL:
        assert answers[name].code == answers["local"].code
        assert judged(answers[name].verdict) == home
        assert any("the first run was on" in note for note in answers[name].verdict["notes"])


def judged(verdict: dict) -> dict[str, object]:
    """A verdict without what follows from times: how far a changed run may go is reckoned from the first one's pace."""
    varying = ("machine", "run-end", "step-times", "memory", "pace", "kept-graphs")
    base = [e for e in verdict["evidence"] if e["run"] == "base" and e["fact"] not in varying]
    return {
        "status": verdict["status"],
        "claim": (verdict["claim"]["cause"], verdict["claim"]["where"]),
        "experiments": [(x["intervention"], x["outcome"]) for x in verdict["experiments"]],
        "evidence": [(e["kind"], e["summary"], e.get("data")) for e in base],
        "fix": verdict["fix"]["diff"],
    }


@pytest.mark.parametrize("name", SEVERAL)
def test_two_jobs_at_once(name: str, get, project: Path) -> None:
    job, execute = program(project, SLOW.format(1.5)), get(name)
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(execute, [job, job])
    assert [r.output.read_text() for r in (first, second)] == ["begun\ndone\n"] * 2
    if name == "ray":
        assert first.node != second.node
    for ran in (first, second):
        ran.discard()


@pytest.mark.parametrize(("name", "process"), [("ray", 1), ("ray", 0), ("slurm", 1)])
def test_a_worker_that_dies_is_replaced_once(name: str, process: int, get, project: Path) -> None:
    job, execute = program(project, SLOW.format(1.5)), get(name)
    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(execute, job)
        killed = running(project)
        workers(killed)[process].kill()
        ran = result.result()
    assert (ran.code, ran.output.read_text()) == (0, "begun\ndone\n")
    wait_for(lambda: not killed.is_running())
    ran.discard()


def test_two_deaths_are_told(get, project: Path) -> None:
    job, execute = program(project, SLOW.format(60)), get("ray")
    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(execute, job)
        for _ in range(2):
            one = running(project)
            workers(one)[1].kill()
            wait_for(lambda one=one: not one.is_running())
        with pytest.raises(WorkerLost) as lost:
            result.result()
    assert "the worker died, and so did a second one" in str(lost.value)
    assert "\n" not in str(lost.value) and lost.value.exit_code == 3


def test_after_two_deaths_the_case_is_kept(project: Path) -> None:
    program(project, SLOW.format(60))
    asked = begun("slurm", project)
    for _ in range(2):
        one = running(project)
        workers(one)[1].kill()
        wait_for(lambda one=one: not one.is_running())
    out, err = asked.communicate(timeout=60)
    assert asked.returncode == 3 and out == b""
    assert err.decode().count("\n") == 1 and b"the case is kept: stetho cases resume" in err
    with open_case(project / ".stetho", "last").open_ledger(read_only=True) as ledger:
        assert ledger.request().executor == "slurm"


def begun(name: str, project: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*STETHO, "why", "-q", "--json", "--executor", name, "--", sys.executable, "slow.py"],
        cwd=project,
        env={**environment(), "STETHO_SLURM_CLUSTER": "local"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.mark.parametrize("name", SEVERAL)
def test_an_interrupt_leaves_no_process(name: str, project: Path) -> None:
    program(project, SLOW.format(60))
    asked = begun(name, project)
    try:
        one = running(project)
        family = [one, workers(one)[0]]
        # As a terminal does: to stetho and to all that it has started beside it.
        os.killpg(asked.pid, signal.SIGINT)
        out, err = asked.communicate(timeout=60)
    finally:
        end(asked.pid)
    assert asked.returncode == 130 and out == b""
    assert err.decode().count("\n") == 1 and b"interrupted; the case is kept" in err
    wait_for(lambda: not any(p.is_running() for p in family))
    assert not list(project.glob(".stetho/*/jobs/*"))


@pytest.mark.parametrize("name", SEVERAL)
def test_bounds_and_reasons_to_stop_reach_the_worker(name: str, get, project: Path) -> None:
    execute = get(name)
    bounded = execute(program(project, SLOW.format(60), seconds=1.0))
    assert (bounded.stopped_by, bounded.output.read_text()) == ("time", "begun\n")
    stopped = execute(program(project, SLOW.format(60)), lambda p: "enough" if p.seconds > 0.5 else None)
    assert (stopped.stopped_by, stopped.signal) == ("enough", None)
    for ran in (bounded, stopped):
        ran.discard()


@pytest.mark.parametrize("name", SEVERAL)
def test_a_node_that_lacks_something_says_what(name: str, get, project: Path) -> None:
    job, node = program(project, SLOW.format(0)), socket.gethostname()
    with pytest.raises(BadRequest) as unseen:
        get(name)(replace(job, cwd=str(project / "elsewhere")))
    assert str(unseen.value).startswith(f"{node} cannot see {project / 'elsewhere'}: ")
    with pytest.raises(BadRequest, match=f"{node} cannot run 'no-such-program'"):
        get(name)(replace(job, command=("no-such-program",)))


def test_another_version_is_refused(project: Path) -> None:
    told = json.loads(remote.parcel(program(project, ""), {}, devices=False))
    line = worker.Line(io.BytesIO(), io.BytesIO())
    answer, ran = worker._obeyed({**json.loads(told["order"]), "version": "0.0.1"}, line)
    assert ran is None and "0.0.1 asks; use the same version on all nodes" in str(answer["refused"])


def test_files_that_a_node_lacks_travel_with_the_job(tmp_path: Path) -> None:
    there, gone, other = (tmp_path / name for name in ("there.py", "gone.py", "other.py"))
    for file in (there, gone, other):
        file.write_text(f"# {file.name}")
    (tmp_path / "stdin").write_bytes(b"\xff\x00")
    changes = tuple((file.stem, "1", str(file)) for file in (there, gone, other))
    job = Job(("true",), "/", None, Bound(1.0), changes, stdin=tmp_path / "stdin")
    told = json.loads(remote.parcel(job, {}, devices=False))
    order = codec.decode(remote.Order, json.loads(told["order"]))
    for file in (gone, tmp_path / "stdin"):
        file.unlink()
    other.write_text("# of another version")
    (tmp_path / "node").mkdir()
    found = worker.at_hand(order, tmp_path / "node")
    texts = [Path(path).read_text() for _, _, path in found.changes]
    assert texts == ["# there.py", "# gone.py", "# other.py"]
    assert found.changes[0][2] == str(there) and found.changes[1][2] != str(gone)
    assert found.stdin is not None and found.stdin.read_bytes() == b"\xff\x00"


def archive(*members: tarfile.TarInfo) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for member in members:
            tar.addfile(member, io.BytesIO(b"x" * member.size))
    return data.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, size: int = 1) -> tarfile.TarInfo:
    one = tarfile.TarInfo(name)
    one.type, one.linkname, one.size = kind, "/etc/passwd", size if kind == tarfile.REGTYPE else 0
    return one


@pytest.mark.parametrize("name", ["../x", "recording/../../x", "/recording/x", "elsewhere/x", "answer.json/x", ""])
def test_an_archive_cannot_write_elsewhere(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="was not asked for"):
        remote.unpack(archive(member(name)), tmp_path)
    assert not list(tmp_path.rglob("*"))


def test_only_files_come_out_of_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = [member(f"recording/{k}", k.encode()) for k in ("1", "2", "3", "6")]  # links, a device and a pipe
    remote.unpack(archive(*odd, member("recording/r0-1.jsonl")), tmp_path)
    assert [p.name for p in tmp_path.rglob("*") if not p.is_dir()] == ["r0-1.jsonl"]
    monkeypatch.setattr(remote, "MOST_BYTES", 10)
    with pytest.raises(ValueError, match="larger than"):
        remote.unpack(archive(member("written/x", size=11)), tmp_path)


def test_a_missing_part_is_told_before_anything_begins(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = stetho("why", "--executor", "slurm", "--", sys.executable, "train.py", cwd=project, PATH="/nowhere")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.count("\n") == 1 and "needs sbatch" in answer.err and "STETHO_SLURM_CLUSTER=local" in answer.err
    assert not (project / ".stetho").exists()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for name in SEVERAL:
        with pytest.raises(BadRequest) as missing:
            choice.executor(name, Config(), tmp_path)  # type: ignore[arg-type]
        assert str(missing.value) == f"--executor {name} needs the {name} extra: pip install 'stetho[{name}]'"


def test_no_cluster_at_an_address_is_told(project: Path) -> None:
    answer = stetho(
        "why", "--executor", "ray", "--", sys.executable, "train.py", cwd=project, RAY_ADDRESS="127.0.0.1:1"
    )
    assert (answer.code, answer.out) == (2, "")
    assert "no Ray cluster answers at 127.0.0.1:1" in answer.err


def test_settings_in_the_words_of_submitit() -> None:
    assert slurm.parameters(OnSlurm(), 90.0) == {"name": "stetho", "timeout_min": 7, "cpus_per_task": 1}
    whole = OnSlurm("slurm", "short", "lab", "high", "a100", 4, 1, 32, 1800.0)
    assert slurm.parameters(whole, 90.0) == {
        "name": "stetho", "timeout_min": 30, "cpus_per_task": 4, "gpus_per_node": 1, "mem_gb": 32,
        "slurm_partition": "short", "slurm_account": "lab", "slurm_qos": "high", "slurm_constraint": "a100",
    }  # fmt: skip


class Queue:
    """An attempt that never gets a place."""

    ended = False

    def look(self, reason: str | None) -> Progress | None:
        return None

    def answer(self) -> bytes | None:
        return None

    def end(self, *, done: bool) -> None:
        self.ended = not done


def test_waiting_for_a_place_has_an_end() -> None:
    queue = Queue()
    with pytest.raises(WorkerLost, match="no worker was free"):
        remote.carry_out(lambda: queue, Job(("true",), "/", 0, Bound(1.0)), None, 0.0)
    assert queue.ended

"""Whole verdicts, through the command line, on programs from the corpus and on bad input."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jsonschema
import pytest
import tomllib

from conftest import CORPUS, environment, stetho
from stetho.render.document import schema

# One program for each cause, in several styles; the rest of the corpus is judged by `make bench`.
FAULTY = [
    "spiral-mlp",  # DataLoader loop, nn.Softmax in a Sequential
    "intent-tagger",  # behind the project's own wrappers
    "shape-trainer",  # a Trainer class
    "energy-surface",  # sliced tensors, layers in a plain list
    "housing-mlp",  # the rate is on the command line
    "brackets-gru",
    "soil-classes",  # one row skipped in one of two files
    "basket-pooling",  # NaN in backward only
]
HEALTHY = ["blobs-report", "topic-words", "tide-uncertainty"]


def copied(name: str, to: Path) -> tuple[Path, dict[str, object]]:
    folder = to / name
    shutil.copytree(CORPUS / name, folder)
    return folder, tomllib.loads((folder / "truth.toml").read_text())


def fingerprints(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        str(p.relative_to(folder)): (hashlib.sha256(p.read_bytes()).hexdigest(), p.stat().st_mtime_ns)
        for p in sorted(folder.rglob("*"))
        if p.is_file() and ".stetho" not in p.parts
    }


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_program_is_named_with_its_line(name: str, tmp_path: Path) -> None:
    folder, truth = copied(name, tmp_path)
    before = fingerprints(folder)
    answer = stetho("why", "--json", "-q", "--", *truth["command"], cwd=folder)
    verdict = answer.verdict
    jsonschema.validate(verdict, schema())
    assert verdict["status"] == "established", verdict["not_claimed"]
    assert verdict["claim"]["cause"] in truth["accepted"]
    assert answer.code == 1
    known = {e["id"] for e in verdict["evidence"]}
    assert verdict["claim"]["cites"] and set(verdict["claim"]["cites"]) <= known
    where = [[p["file"], p["line"]] for p in verdict["claim"]["where"]]
    if truth["lines"]:
        assert where and where[0] in truth["lines"]
    assert verdict["fix"] is not None and verdict["fix"]["trial"]["evidence"]
    assert fingerprints(folder) == before


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_program_that_looks_odd_is_clear(name: str, tmp_path: Path) -> None:
    folder, truth = copied(name, tmp_path)
    answer = stetho("why", "--json", "-q", "--", *truth["command"], cwd=folder)
    assert (answer.verdict["status"], answer.code) == ("clear", 0)
    assert answer.verdict["claim"] is None
    assert answer.verdict["hypotheses"][0]["cause"].startswith("none/")


def test_the_fix_can_be_shown_and_applied_and_then_it_is_clear(tmp_path: Path) -> None:
    folder, truth = copied("spiral-mlp", tmp_path)
    assert stetho("why", "-q", "--", *truth["command"], cwd=folder).code == 1
    shown = stetho("fix", cwd=folder)
    assert shown.code == 0 and "+++ b/train.py" in shown.out
    assert stetho("fix", "last", "--apply", cwd=folder).code == 0
    assert stetho("fix", "last", "--apply", cwd=folder).code == 2  # the file is no longer what was tried
    assert stetho("why", "-q", "--", *truth["command"], cwd=folder).code == 0


def test_no_experiments_ranks_and_claims_nothing(tmp_path: Path) -> None:
    folder, truth = copied("spiral-mlp", tmp_path)
    answer = stetho(
        "why", "--json", "-q", "--no-experiments", "--symptom", "loss flat", "--", *truth["command"], cwd=folder
    )
    # A finding that nothing has put to the test: not established, and not clear either.
    assert answer.code == 3
    assert answer.verdict["claim"] is None and answer.verdict["experiments"] == []
    assert any("loss flat" in note for note in answer.verdict["notes"])


MESSY = """
import os, pathlib, shutil, subprocess, sys, tempfile
import torch
here = pathlib.Path(__file__).resolve().parent
torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(60):
    x = torch.randn(16, 4)
    loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    torch.save(model.state_dict(), here / "best.pt")
(here / "old.ckpt").unlink(missing_ok=True)
with open(here / "log.csv", "a") as f:
    f.write("another line\\n")
subprocess.run(["sh", "-c", f"rm -rf '{here}/runs' && echo x > '{here}/made-by-shell'"], check=True)
os.rename(here / "a.txt", here / "b.txt")
(pathlib.Path.home() / "stetho-test-home-file").write_text("x")
(pathlib.Path(tempfile.gettempdir()) / f"stetho-test-{os.getpid()}").write_text("x")
os.chdir("/")
"""


@pytest.fixture
def messy(write, tmp_path: Path) -> Path:
    write("train.py", MESSY)
    for name in ("best.pt", "old.ckpt", "log.csv", "a.txt", "runs/one/metrics.txt"):
        write(name, f"the user's own {name}\n")
    return tmp_path


def test_files_stay_untouched_whatever_the_program_does(messy: Path) -> None:
    before = fingerprints(messy)
    home = Path.home() / "stetho-test-home-file"
    answer = stetho("why", "--json", "-q", "--", "python", str(messy / "train.py"), cwd=messy)
    assert answer.verdict["evidence"][1]["summary"].startswith("60 steps"), answer.verdict["evidence"]
    assert fingerprints(messy) == before
    assert sorted(p.name for p in messy.iterdir()) == [
        ".stetho",
        "a.txt",
        "best.pt",
        "log.csv",
        "old.ckpt",
        "runs",
        "train.py",
    ]
    assert not home.exists()


def test_files_stay_untouched_in_the_copy_that_stands_in_for_an_overlay(messy: Path) -> None:
    before = fingerprints(messy)
    answer = stetho("why", "--json", "-q", "--in-copy", "--", "python", str(messy / "train.py"), cwd=messy)
    assert answer.verdict["evidence"][1]["summary"].startswith("60 steps"), answer.verdict["evidence"]
    assert any("ran in a copy" in note for note in answer.verdict["notes"])
    assert fingerprints(messy) == before and not (Path.home() / "stetho-test-home-file").exists()


def processes_in(folder: Path) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(folder) in (entry / "cmdline").read_text():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


SLOW = """
import time
import torch
model = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
while True:
    loss = model(torch.randn(8, 4)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.01)
"""


def test_ctrl_c_keeps_the_case_and_ends_every_process(write, tmp_path: Path) -> None:
    script = write("train.py", SLOW)
    command = [sys.executable, "-m", "stetho", "why", "--", sys.executable, str(script)]
    # A scratch of its own, outside what is protected, so that only this run's recording is seen.
    scratch = Path(tempfile.mkdtemp(prefix="stetho-test-", dir="/var/tmp"))
    process = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True,
        env={**environment(), "STETHO_SCRATCH": str(scratch)},
    )  # fmt: skip
    wait_for(lambda: any(b'"e":"steps"' in f.read_bytes() for f in scratch.glob("stetho-*/recording/*.jsonl")))
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"cases resume" in err and b"Traceback" not in err
    listed = json.loads(stetho("cases", "--json", cwd=tmp_path).out)
    assert len(listed) == 1
    wait_for(lambda: not processes_in(script))
    assert list(scratch.iterdir()) == []
    scratch.rmdir()


def wait_for(condition, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        os.sched_yield()


def test_an_interrupted_case_is_resumed_without_running_again_what_it_has(tmp_path: Path) -> None:
    folder, truth = copied("spiral-mlp", tmp_path)
    assert stetho("why", "-q", "--no-experiments", "--", *truth["command"], cwd=folder).code == 3
    first = stetho("cases", "show", "last", "--json", cwd=folder).verdict
    again = stetho("cases", "resume", "last", "--json", cwd=folder)
    assert [e["id"] for e in again.verdict["evidence"]][: len(first["evidence"])] == [
        e["id"] for e in first["evidence"]
    ]
    assert again.verdict["cost"]["runs"] == 0


def test_two_at_once_in_one_directory(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import sys\nsys.exit(0)\n")
    command = [sys.executable, "-m", "stetho", "why", "--json", "-q", "--", "python", "train.py"]
    both = [subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, env=environment()) for _ in range(2)]
    cases = {json.loads(p.communicate(timeout=120)[0])["case"] for p in both}
    assert len(cases) == 2


@pytest.mark.parametrize(
    ("text", "cause", "line"),
    [
        ("import torch\ncfg = {}\n\ndef main():\n    return cfg['lr']\n\nmain()\n", "env/exception", 5),
        ("import torch\ndef f(:\n    pass\n", "env/exception", 2),
        ("import torch\nF = torch.nn.functional\nF.cross_entropy(torch.randn(2, 3), torch.tensor([1, 3]))\n", "data/label-encoding", 3),  # noqa: E501
        ("import sys, torch\nsys.stdout.buffer.write(b'\\xff\\x1b[31m caf\\xe9\\n')\nraise ValueError('x\\udce9 [bold]')\n", "env/exception", 3),  # noqa: E501
    ],
)  # fmt: skip
def test_an_exception_is_a_diagnosis(write, tmp_path: Path, text: str, cause: str, line: int) -> None:
    write("train.py", text)
    answer = stetho("why", "--json", "-q", "--", "python", "train.py", cwd=tmp_path)
    assert answer.code == 1, answer.out
    assert answer.verdict["claim"]["cause"] == cause
    assert answer.verdict["claim"]["where"][0]["file"] == "train.py"
    assert answer.verdict["claim"]["where"][0]["line"] == line


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("print('no torch here')\n", "the observer was not active"),
        ("import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n", "no optimizer stepped before it ended (1 backward"),  # noqa: E501
        ("import torch, time\ntime.sleep(600)\n", "no optimizer stepped within its time"),
    ],
)  # fmt: skip
def test_silence_is_never_health(write, tmp_path: Path, text: str, says: str) -> None:
    write("train.py", text)
    answer = stetho("why", "--json", "-q", "--budget", "16s", "--", "python", "train.py", cwd=tmp_path)
    assert answer.code == 3
    assert answer.verdict["status"] == "unknown" and says in answer.verdict["not_claimed"]


def test_a_program_that_reads_standard_input(write, tmp_path: Path) -> None:
    write("train.py", "import torch\nprint(int(input('how many? ')))\nraise KeyError('after the answer')\n")
    without = stetho("why", "--json", "-q", "--", "python", "train.py", cwd=tmp_path)
    assert without.code == 2 and "reads standard input (train.py:2)" in without.err
    given = stetho("why", "--json", "-q", "--", "python", "train.py", cwd=tmp_path, stdin=b"5\n")
    assert given.verdict["claim"]["statement"].endswith("KeyError: 'after the answer'")


def test_a_log_of_a_dead_run(write, tmp_path: Path) -> None:
    write(
        "run.log",
        'epoch 1\nTraceback (most recent call last):\n  File "a/train.py", line 7, in <module>\n    x\nNameError: x\n',
    )
    answer = stetho("why", "--json", "run.log", cwd=tmp_path)
    assert answer.code == 1 and answer.verdict["claim"]["where"][0] == {
        "file": "a/train.py", "line": 7, "column": None, "key": None, "sample": None,
    }  # fmt: skip
    write("fine.log", "epoch 1 loss 0.4\nepoch 2 loss 0.3\n")
    assert stetho("why", "--json", "fine.log", cwd=tmp_path).code == 3

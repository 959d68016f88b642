"""What is read of a folder, what is not, and what is said about both."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import stetho
from stetho import post_mortem
from stetho.case import Request
from stetho.errors import BadRequest
from stetho.logged import walk
from stetho.render import text
from stetho.verdict import Verdict

LINES = "".join(f"step {i} loss {2.3 - i / 100:.2f}\n" for i in range(100))


def judged(target: Path, cases: Path) -> Verdict:
    request = Request((), str(target), None, 60.0, None, False, 0.0)
    return post_mortem.judge(cases, request, str(target)).runs[0].verdict


def run_in(folder: Path, **files: str) -> Path:
    folder.mkdir()
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content)
    return folder


def test_the_verdict_says_what_was_read_and_which_number_is_the_loss(tmp_path: Path) -> None:
    folder = run_in(tmp_path / "run", out_log=LINES, conf_yaml="lr: 0.1\nmodel:\n  width: 8\n  depth: 2\n")
    shown = text.render(judged(folder, tmp_path / "c"), width=200)
    assert "read   2 files (yaml-config, text-log); 1 metric; the loss is loss: 100 points to step 99" in shown
    assert "ended  came to step 99, and how it ended is not known" in shown


def test_numbers_that_are_not_known_as_a_loss_are_named(tmp_path: Path) -> None:
    rows = "step,zap,frob\n" + "".join(f"{i},{i / 7:.3f},{i % 5}.5\n" for i in range(50))
    read = judged(run_in(tmp_path / "run", m_csv=rows), tmp_path / "c").evidence[0].summary
    assert "zap (50 points)" in read and read.endswith("none of them is known as a loss")


def test_a_line_is_cited_with_its_file(tmp_path: Path) -> None:
    words = "slurmstepd: error: Detected 1 oom_kill event in StepId=7. Some of the step tasks have been OOM Killed.\n"
    verdict = judged(run_in(tmp_path / "run", a_out="starting\n", b_out=LINES + words), tmp_path / "c")
    assert verdict.claim is not None
    assert f"{tmp_path / 'run' / 'b.out'}:101: slurmstepd" in verdict.claim.statement


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_what_may_not_be_read_is_told(tmp_path: Path) -> None:
    folder = run_in(tmp_path / "run", out_log=LINES, err_log="Traceback")
    (folder / "err.log").chmod(0)
    (folder / "closed").mkdir(mode=0)
    notes = judged(folder, tmp_path / "c").notes
    assert any("err.log: was not read: permission denied" in note for note in notes)
    assert any("closed: was not looked into" in note for note in notes)


def test_more_files_than_are_looked_at_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MOST_FILES", 3)
    folder = run_in(tmp_path / "run", **{f"a{i}_log": LINES for i in range(5)})
    assert any("holds more than 3 files" in note for note in judged(folder, tmp_path / "c").notes)


def test_an_error_without_a_code_is_told_as_it_was_seen(tmp_path: Path) -> None:
    lines = LINES + 'Traceback (most recent call last):\n  File "t.py", line 3, in <module>\n    f()\nKeyError: 3\n'
    (symptom,) = judged(run_in(tmp_path / "run", out_log=lines), tmp_path / "c").symptoms
    assert symptom.summary == "the log ends with an error, after 99 steps"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (gzip.compress(bytes(32), mtime=0), "is packed"),
        (bytes(range(32)) * 9, "nothing that a reader"),
    ],
    ids=["empty", "packed", "binary"],
)
def test_a_file_that_says_nothing_is_refused_with_the_reason(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(BadRequest, match=words):
        judged(tmp_path / "f", tmp_path / "c")


def test_an_empty_folder_is_told_from_one_without_a_run(tmp_path: Path) -> None:
    empty, other = run_in(tmp_path / "empty"), run_in(tmp_path / "other", a_py="print()")
    with pytest.raises(BadRequest, match="is an empty directory"):
        judged(empty, tmp_path / "c")
    with pytest.raises(BadRequest, match="holds nothing that a reader knows"):
        judged(other, tmp_path / "c")


def test_nothing_needs_torch(tmp_path: Path) -> None:
    """Whatever lies in a folder, checkpoints included, is judged where torch cannot be imported."""
    blocks = (
        "import sys\nfor name in ('torch', 'transformers', 'lightning', 'tensorboard'):\n    sys.modules[name] = None\n"
    )
    (tmp_path / "sitecustomize.py").write_text(blocks)
    source = str(Path(stetho.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{source}"}
    runs = Path(__file__).parent / "runs"
    for name, code in (("checkpoint-with-nan-weights", 3), ("spread-nan", 3), ("checkpoints-whole-healthy", 0)):
        command = [sys.executable, "-m", "stetho", "why", str(runs / name), "--json", "--case", str(tmp_path / "cases")]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        assert ended.returncode == code, ended.stderr
        assert json.loads(ended.stdout)["evidence"]
    proof = [sys.executable, "-c", "import torch"]
    assert subprocess.run(proof, env=environment, capture_output=True).returncode != 0


def test_checkpoints_alone_are_told_once_and_tell_nothing_of_training(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    header = b'{"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}'
    for name in ("a", "b"):
        (folder / name).write_bytes(len(header).to_bytes(8, "little") + header + b"\x00\x00\x80\x3f")
    found = judged(folder, tmp_path / "cases")
    told = [one.summary for one in found.evidence]
    assert found.status == "unknown" and "2 checkpoints, whole; no metric over the run" in told[0]
    assert all(summary.count(str(folder / "a")) <= 1 for summary in told)


def test_standard_input_never_fills_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(post_mortem, "RESERVE", 1 << 60)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"step 1 loss 0.5\n")))
    with pytest.raises(BadRequest, match="fills the disk"), post_mortem.opened("-"):
        pass

"""`stetho why --good` as a user calls it, on programs that really train."""

from __future__ import annotations

from pathlib import Path

import jsonschema

from conftest import stetho
from stetho.render.document import schema

from .fake import commit

TRAIN = """
import torch

torch.manual_seed(0)
x = torch.randn(128, 6)
y = (x[:, 0] > 0).long()
net = torch.nn.Linear(6, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
for step in range(80):
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def test_the_line_of_a_commit_is_named_and_proven_and_nothing_is_touched(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text(".stetho\n")
    commit(tmp_path, "first", train_py=TRAIN)
    broken = TRAIN.replace("    opt.zero_grad()\n", "").replace("(80)", "(90)")
    commit(tmp_path, "tidy", train_py=broken)
    before = (tmp_path / "train.py").read_bytes(), (tmp_path / ".git" / "index").read_bytes()
    answer = stetho("why", "--json", "-q", "--good", "HEAD~1", "--", "python", "train.py", cwd=tmp_path)
    found = answer.verdict
    jsonschema.Draft202012Validator(schema()).validate(found)
    compared = found["regression"]
    assert compared["outcome"] == "isolated" and compared["commit"].endswith("(tidy)")
    assert compared["differences"][0]["summary"] == "train.py:11 opt.zero_grad() removed"
    assert compared["first"]["part"] == "loop order" and compared["first"]["step"] == 0
    ids = {one["id"] for one in found["evidence"]}
    assert set(compared["cites"]) <= ids and compared["experiments"]
    if found["claim"] is not None:
        assert found["claim"]["cause"] == compared["explains"] == "train/missing-zero-grad"
        assert found["claim"]["where"][0]["line"] == 11
    assert answer.code == {"established": 1}.get(found["status"], 3)
    assert before == ((tmp_path / "train.py").read_bytes(), (tmp_path / ".git" / "index").read_bytes())
    assert stetho("fix", "--apply", cwd=tmp_path).code == 0
    assert (tmp_path / "train.py").read_text() == TRAIN.replace("(80)", "(90)")


def test_an_earlier_case_is_not_run_again(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN.replace("range(80)", "range(30)"))
    assert stetho("run", "-q", "--", "python", "train.py", cwd=tmp_path).code == 0
    (tmp_path / "train.py").write_text(TRAIN.replace("range(80)", "range(30)").replace("Linear(6, 2)", "Linear(5, 2)"))
    answer = stetho("why", "--json", "-q", "--good", "last", "--", "python", "train.py", cwd=tmp_path)
    compared = answer.verdict["regression"]
    assert compared["kind"] == "case" and compared["outcome"] == "isolated"
    assert compared["given"].endswith("0001-train")
    told = "train.py:7 net = torch.nn.Linear(6, 2) → net = torch.nn.Linear(5, 2)"
    assert [one["summary"] for one in compared["differences"]] == [told]
    assert answer.verdict["cost"]["runs"] == 2


def test_a_bad_reference_is_one_line_and_leaves_no_case(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    for words in (("--good", "nothere", "--", "python", "train.py"), ("--good", "HEAD", "run.log")):
        answer = stetho("why", *words, cwd=tmp_path)
        assert answer.code == 2 and answer.out == "" and answer.err.count("\n") == 1
        assert answer.err.startswith("stetho: --good")
    assert not list(tmp_path.glob(".stetho/0*"))

"""More than one cause: what is established stays cured, and what remains is judged by itself."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from conftest import stetho
from stetho.render.document import schema

PROGRAM = """
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(1)
centres = torch.randn(8, 16) * 1.5
labels = torch.randint(0, 8, (2000,))
inputs = centres[labels] + torch.randn(2000, 16)
data = torch.utils.data.TensorDataset({inputs}, {labels})
loader = torch.utils.data.DataLoader(data, batch_size=64, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
        self.head = nn.Linear(32, 8)

    def forward(self, x):
        return self.head(self.encoder(x))


model = Net()
optimizer = torch.optim.Adam({trained}, lr=1e-3)
for epoch in range(12):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
"""
SHIFTED = {"inputs": "inputs[1:]", "labels": "labels[:-1]"}
WHOLE = {"inputs": "inputs", "labels": "labels", "trained": "model.parameters()"}


def test_two_faults_are_named_one_after_the_other_and_cured_together(write, tmp_path: Path) -> None:
    program = write("train.py", PROGRAM.format(**SHIFTED, trained="model.head.parameters()"))
    answer = stetho("why", "--all", "--json", "-q", "--", "python", "train.py", cwd=tmp_path)
    verdict = answer.verdict
    jsonschema.validate(verdict, schema())
    assert (answer.code, verdict["claim"]["cause"]) == (1, "data/labels-misaligned")
    assert verdict["remains"]["status"] == "established"
    assert [one["cause"] for one in verdict["also"]] == ["train/params-not-optimized"]
    second = verdict["also"][0]
    assert second["remains"]["status"] == "clear"
    assert second["remains"]["statement"] == "with both cures applied: clear"
    ids = [one["id"] for one in verdict["evidence"]]
    assert len(ids) == len(set(ids)) and set(second["cites"]) <= set(ids)
    runs = {one["id"]: one["run"] for one in verdict["evidence"]}
    assert "base-1-cured" in {runs[id] for id in second["cites"]}

    again = stetho("cases", "resume", "last", "--json", cwd=tmp_path).verdict
    assert again["cost"]["runs"] == 0
    assert [again["claim"], again["also"], again["remains"]] == [verdict["claim"], verdict["also"], verdict["remains"]]

    report = stetho("cases", "show", "last", cwd=tmp_path).out
    assert "ALSO" in report and "with both cures applied: clear" in report
    assert stetho("fix", "last", "--apply", cwd=tmp_path).code == 0
    text = program.read_text()
    assert "model.parameters()" in text and "inputs[1:], labels[:-1]" not in text


def test_one_fault_is_clear_after_its_cure_and_nothing_else_is_claimed(write, tmp_path: Path) -> None:
    write("train.py", PROGRAM.format(**{**WHOLE, **SHIFTED}))
    verdict = json.loads(stetho("why", "--all", "--json", "-q", "--", "python", "train.py", cwd=tmp_path).out)
    jsonschema.validate(verdict, schema())
    assert verdict["claim"]["cause"] == "data/labels-misaligned"
    assert verdict["also"] == []
    assert verdict["remains"]["statement"] == "with its cure applied: clear"


def test_all_needs_a_command_and_no_single_cause(tmp_path: Path) -> None:
    for words in (
        ["run.log"],
        ["--no-experiments", "--", "python", "x.py"],
        ["--suspect", "hp/lr-too-high", "--", "x"],
    ):
        assert stetho("why", "--all", *words, cwd=tmp_path).code == 2

"""A run that fails on a saved file: the file itself is looked at, and the claim is about it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stetho.case import Request
from stetho.errors import BadRequest
from stetho.why import begin

PROGRAM = """
import torch
net = torch.nn.Linear(4, 2)
net.load_state_dict(torch.load("runs/last.pt")["model"])
"""


def asked(folder: Path, program: str) -> Request:
    return Request((sys.executable, program), str(folder), 0, 60.0, None, True, 0.0)


def saved(folder: Path, keep: float) -> None:
    import torch

    (folder / "runs").mkdir()
    path = folder / "runs" / "last.pt"
    torch.save({"model": torch.nn.Linear(4, 2).state_dict(), "more": torch.zeros(3000)}, path)
    data = path.read_bytes()
    path.write_bytes(data[: int(keep * len(data))])
    (folder / "train.py").write_text(PROGRAM)


@pytest.mark.parametrize("keep", [0.0, 0.5])
def test_a_saved_file_that_is_cut_is_what_the_exception_is_about(tmp_path: Path, keep: float) -> None:
    saved(tmp_path, keep)
    found = begin(tmp_path / ".stetho", asked(tmp_path, "train.py"))
    assert found.claim is not None
    assert found.claim.cause == "env/checkpoint-corrupt"
    assert "runs/last.pt" in found.claim.statement


def test_only_a_question_on_standard_input_is_refused_as_one(tmp_path: Path) -> None:
    (tmp_path / "ask.py").write_text("name = input('name? ')\n")
    with pytest.raises(BadRequest, match="standard input"):
        begin(tmp_path / ".stetho", asked(tmp_path, "ask.py"))

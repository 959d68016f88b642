"""A kept result that no longer fits the code is claimed, one that does is not, and what was drawn by lot is neither."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conftest import stetho
from stetho.experiment import Edit
from stetho.facts import DataFile, DataFiles, LossCurve
from stetho.fixes import Cure
from stetho.outcome import Judged
from stetho.trial import Result, by_step, drawn_by_lot

PROGRAM = """
import os
import numpy as np, torch

def rows(width):
    if os.path.exists("kept/rows.npy"):
        return np.load("kept/rows.npy")
    raw = np.load("raw.npy")
    made = (raw * (np.arange(raw.shape[1]) < width)).astype("float32")
    os.makedirs("kept", exist_ok=True)
    np.save("kept/rows.npy", made)
    return made

torch.manual_seed(0)
x, y = torch.from_numpy(rows(12)), torch.from_numpy(np.load("kinds.npy"))
model = torch.nn.Sequential(torch.nn.Linear(12, 32), torch.nn.ReLU(), torch.nn.Linear(32, 3))
opt = torch.optim.Adam(model.parameters(), lr=0.005)
for epoch in range(20):
    for i in torch.randperm(600).split(50):
        loss = torch.nn.functional.cross_entropy(model(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    right = (model(x[600:]).argmax(1) == y[600:]).float().mean().item()
    print("epoch", epoch, "loss", loss.item(), "val acc", right)
"""


def project(folder: Path, kept: int) -> None:
    """The program, its data, and rows that were kept when so many columns were used."""
    deal = np.random.default_rng(1)
    raw = deal.normal(size=(800, 12)).astype("float32")
    np.save(folder / "raw.npy", raw)
    np.save(folder / "kinds.npy", (raw @ deal.normal(size=(12, 3)) * np.linspace(0, 2, 3)).argmax(1))
    (folder / "kept").mkdir()
    np.save(folder / "kept" / "rows.npy", (raw * (np.arange(12) < kept)).astype("float32"))
    (folder / "fit.py").write_text(PROGRAM)


@pytest.mark.parametrize("kept", [3, 12], ids=["made for three columns", "up to date"])
def test_only_what_is_out_of_date_is_claimed(tmp_path: Path, kept: int) -> None:
    project(tmp_path, kept)
    answer = stetho("why", "--json", "-q", "--budget", "3m", "--", "python", "fit.py", cwd=tmp_path)
    trials = [x for x in answer.verdict["experiments"] if x["intervention"] == "fix data/stale-cache"]
    if kept == 3:
        assert answer.code == 1, answer.out
        assert answer.verdict["claim"]["cause"] == "data/stale-cache"
        assert answer.verdict["claim"]["where"][0]["file"] == "kept/rows.npy"
        assert [x["outcome"] for x in trials] == ["better"]
    else:
        assert answer.code == 0, answer.out
        assert [x["outcome"] for x in trials] == ["same"]


class Asked:
    """As much of an inquiry as the question needs."""

    def __init__(self, cwd: Path) -> None:
        self.request = type("Request", (), {"cwd": str(cwd)})()


@pytest.mark.parametrize(("size", "by_lot"), [(10, True), (5000, False)], ids=["settings alone", "data"])
def test_what_is_made_from_no_file_is_another_draw(tmp_path: Path, size: int, by_lot: bool) -> None:
    (tmp_path / "other").write_bytes(b"x" * size)
    cure = Cure("", (Edit(str(tmp_path / "kept"), "k" * 10_000, "", 1, "", removed=True),), kind="data")
    opened = DataFiles((DataFile("other", 0), DataFile("kept", None, written=True)))
    result = Result(Judged("better", ""), facts={DataFiles: ("", opened)})
    assert drawn_by_lot(Asked(tmp_path), cure, result) is by_lot  # type: ignore[arg-type]
    worse = Result(Judged("same", ""), facts={DataFiles: ("", opened)})
    assert not drawn_by_lot(Asked(tmp_path), cure, worse)  # type: ignore[arg-type]


def test_losses_are_compared_step_by_step() -> None:
    assert by_step(LossCurve((1.0, 0.5), steps=(0, 4))) == {0: 1.0, 4: 0.5}
    assert by_step(LossCurve((1.0, 0.5))) == {0: 1.0, 1: 0.5}

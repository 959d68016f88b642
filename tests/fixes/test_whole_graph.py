"""Values stay in the graph, and frozen parameters are thawed, by the smallest edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho.evidence import Place
from stetho.facts import Frozen, GraphCut, GraphCuts
from stetho.fixes import Grounds, cures


def first(folder: Path, cause: str, text: str, fact: object) -> str:
    (folder / "train.py").write_text(text)
    return next(cures(cause, Grounds({type(fact): fact}, ("python",), str(folder)))).edits[0].after  # type: ignore


@pytest.mark.parametrize(
    ("kind", "line", "before", "after"),
    [
        ("detach", 1, "h = self.enc(x).detach()\n", "h = self.enc(x)\n"),
        ("detach", 1, "h = torch.detach(a + b) * 2\n", "h = (a + b) * 2\n"),
        ("data", 1, "h = self.enc(x).data\n", "h = self.enc(x)\n"),
        (
            "no_grad",
            2,
            "with torch.no_grad():\n    h = enc(x)\n",
            "with torch.enable_grad():\n    h = enc(x)\n",
        ),
        (
            "no_grad",
            3,
            "@torch.no_grad()\ndef embed(x):\n    return enc(x)\n",
            "@torch.enable_grad()\ndef embed(x):\n    return enc(x)\n",
        ),
    ],
)
def test_the_cut_goes(tmp_path: Path, kind: str, line: int, before: str, after: str) -> None:
    cut = GraphCut(kind, 90, True, (Place(str(tmp_path / "train.py"), line),))
    assert first(tmp_path, "train/graph-broken", before, GraphCuts(90, 90, 0, 10, (cut,))) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("p.requires_grad = False\n", "p.requires_grad = True\n"),
        ("p.requires_grad_(False)\n", "p.requires_grad_(True)\n"),
        ("w = nn.Parameter(t, requires_grad=False)\n", "w = nn.Parameter(t, requires_grad=True)\n"),
    ],
)
def test_what_is_frozen_is_thawed(tmp_path: Path, before: str, after: str) -> None:
    fact = Frozen(100, 90, 90, (Place(str(tmp_path / "train.py"), 1),))
    assert first(tmp_path, "train/params-frozen", before, fact) == after
